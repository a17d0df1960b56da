import type { DriverProblem } from "./driver.ts";

const NETWORK_REASONS: Readonly<Record<string, string | undefined>> = {
  ECONNREFUSED: "nothing listens at its port (ECONNREFUSED)",
  ENOTFOUND: "its host name is unknown (ENOTFOUND)",
  EAI_AGAIN: "its host name cannot be looked up now (EAI_AGAIN)",
  ECONNRESET: "the connection was closed (ECONNRESET)",
  EPIPE: "the connection was closed (EPIPE)",
};

/**
 * By the code of a failed TLS connection, the first that fits. Nothing helps but another setting, here or at the server.
 * Nodes replace the name of an option by the place where a person sets it.
 */
const TLS_REASONS: ReadonlyArray<[code: RegExp, reason: string]> = [
  [
    /^ERR_(?:SSL|TLS)_.*(?:ALERT_.*CERT|ALERT_UNKNOWN_CA|HANDSHAKE_FAILURE|CERTIFICATE_REQUIRED)/,
    "it requires a client certificate, or rejects the one it received; give one that it accepts as the option tls",
  ],
  [
    /^ERR_OSSL|KEY_VALUES_MISMATCH/,
    "the client certificate, its key or the passphrase is wrong; correct it as the option tls",
  ],
  [
    /ALTNAME|HOSTNAME_MISMATCH/,
    "its certificate is for another host name; correct the host in the URL, or set the server name in its TLS settings",
  ],
  [
    /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
    "its certificate is not valid at this time; renew it at the server, or correct the clock of this machine",
  ],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/,
    "its certificate is not trusted; give the certificate of its authority as the option ca",
  ],
];

/** What the code of an error of a socket says; undefined for a code that is not of a socket. */
export function networkProblem(code: string): DriverProblem | undefined {
  const wrong = TLS_REASONS.find(([codes]) => codes.test(code))?.[1];
  if (wrong !== undefined) return { kind: "refused", reason: wrong.replace(";", ` (${code});`) };
  const known = NETWORK_REASONS[code];
  if (known !== undefined) return { kind: "lost", reason: known };
  return /^E[A-Z]+$|^ERR_/.test(code)
    ? { kind: "lost", reason: `the connection failed (${code})` }
    : undefined;
}

/** Codes of servers are shorter. Another program may answer with anything. */
const LONGEST = 40;

/** The `code` of an error, or of the first one of several; cut. */
export function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  if ("code" in error && typeof error.code === "string") return error.code.slice(0, LONGEST);
  return error instanceof AggregateError ? codeOf(error.errors[0]) : "";
}
