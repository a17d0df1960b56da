import { ArgumentError, type CrecError } from "../errors.ts";
import { MAX_HEADER_BYTES } from "./dispatcher.ts";
import { BadResponseError, ClientClosedError, NetworkError } from "./errors.ts";
import { tooLarge } from "./inflate.ts";

const TLS_CODE =
  /^(ERR_TLS_|ERR_SSL_|ERR_OSSL|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO$|UND_ERR_PRX_TLS)/;

type OddAnswer = { code: string; message?: string; what: string };

/** What the HTTP client cannot read on. */
const ODD_ANSWERS: readonly OddAnswer[] = [
  {
    ...{ code: "UND_ERR_SOCKET", message: "bad response" },
    what: 'answered with "100 Continue", or with an answer that belongs to no request',
  },
  {
    ...{ code: "UND_ERR_SOCKET", message: "bad upgrade" },
    what: "answered by switching to another protocol",
  },
  // The second is Node.js's own client.
  ...["UND_ERR_HEADERS_OVERFLOW", "HPE_HEADER_OVERFLOW"].map((code) => ({
    code,
    what: `answered with headers of more than ${MAX_HEADER_BYTES / 1024} KiB`,
  })),
];

/** Alerts of a server that asks its callers for a certificate. */
const CLIENT_CERTIFICATE = /CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|ALERT_BAD_CERTIFICATE/;

const UNREACHABLE: Readonly<Record<string, string>> = {
  ENOTFOUND: "its name is not known. Check the base URL of the connection, and the network's name service",
  EAI_AGAIN: "its name could not be looked up. Check the network's name service",
  ECONNREFUSED: "nothing listens there. Check that the service runs, and the base URL of the connection",
  EHOSTUNREACH: "there is no way to it. Check the network",
  ENETUNREACH: "there is no way to it. Check the network",
  ETIMEDOUT: "it does not answer. Check the network, and firewalls on the way",
  UND_ERR_CONNECT_TIMEOUT: "it does not answer. Check the network, and firewalls on the way",
  UND_ERR_ABORTED: "the proxy refused the way to it. Check the proxy's address and credentials",
};
const BROKEN = "the connection broke before the answer was complete. Check the network, and try again";

/** The error an exception of the HTTP client stands for. `scrub` takes secrets out of a foreign text. */
export function networkError(error: unknown, host: string, scrub: (text: string) => string): CrecError {
  const { code, message } = codeAndMessage(error);
  const cause = leanCause(code, scrub(message));
  if (code === "UND_ERR_DESTROYED" || code === "UND_ERR_CLOSED") return new ClientClosedError();
  if (code === "UND_ERR_INVALID_ARG") {
    return new ArgumentError(
      "request",
      `The request cannot be sent: ${scrub(message)}. Check its headers and path.`,
    );
  }
  if (CLIENT_CERTIFICATE.test(code)) {
    const text = `${host} refused the TLS connection (${code}). Most often it wants a certificate of yours, or does not take the one it was given: give it in the TLS settings of the connection.`;
    return new NetworkError("TLS_ERROR", text, { cause });
  }
  if (TLS_CODE.test(code)) {
    const text = `No trusted connection to ${host} (${code}). Check https or http in the base URL, and the certificate settings of the connection.`;
    return new NetworkError("TLS_ERROR", text, { cause });
  }
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") return tooLarge(host, cause);
  const odd = ODD_ANSWERS.find((one) => one.code === code && (one.message ?? message) === message);
  if (odd) {
    const text = `${host} ${odd.what}. Look for a proxy on the way that does so, and check the base URL.`;
    return new BadResponseError("BAD_RESPONSE", text, { cause });
  }
  if (code.startsWith("HPE_") && code !== "HPE_INVALID_EOF_STATE") {
    const text = `${host} does not speak HTTP as expected (${code}). Check https or http, and the port, in the base URL.`;
    return new BadResponseError("BAD_RESPONSE", text, { cause });
  }
  const text = `The service at ${host} cannot be reached: ${UNREACHABLE[code] ?? BROKEN}.`;
  return new NetworkError("SERVICE_UNREACHABLE", text, { cause, retryable: true });
}

function codeAndMessage(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: "", message: String(error) };
  const known = "code" in error && typeof error.code === "string" ? error.code : "";
  // Without a tunnel a proxy that wants credentials looks like a mistake of ours.
  if (known === "UND_ERR_INVALID_ARG" && error.message.includes("Proxy Authentication Required"))
    return { code: "UND_ERR_ABORTED", message: error.message };
  // Its parser leaves the code out for what is no HTTP from the first byte on.
  const code = known === "" && error.name === "HTTPParserError" ? "HPE_INVALID" : known;
  return { code, message: error.message };
}

/** The HTTP client's own errors may carry pieces of the answer: only code and message go on. */
function leanCause(code: string, message: string): Error {
  return Object.assign(new Error(message), code === "" ? {} : { code });
}
