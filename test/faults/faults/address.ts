import type { Fault } from "./fault.ts";

/** The address leads nowhere, or to a server that cannot be trusted. */
export const ADDRESS_FAULTS: readonly Fault[] = [
  {
    name: "refused",
    acts: false,
    passes: true,
    codes: ["SERVICE_UNREACHABLE"],
    begin: (server) => server.stopListening(),
    end: (server) => server.listenAgain(),
  },
  {
    name: "DNS failure",
    acts: false,
    passes: true,
    codes: ["SERVICE_UNREACHABLE"],
    begin: (server) => server.forgetName(),
    end: (server) => server.rememberName(),
  },
  {
    name: "certificate error",
    acts: false,
    passes: false,
    codes: ["TLS_ERROR"],
    begin: (server) => server.changeCertificate("untrusted"),
    end: (server) => server.changeCertificate("trusted"),
  },
];
