import { ArgumentError, type CrecError } from "../errors.ts";
import { certificateSentence } from "./certificate-errors.ts";
import { BadResponseError, ClientClosedError, NetworkError } from "./errors.ts";
import { tooLarge } from "./inflate.ts";
import type { Mask } from "./masking.ts";
import { isLoopback, nameOf, type UsedProxy, withProxy } from "./proxy.ts";
import { MAX_HEADER_BYTES } from "./socket-pool.ts";

const TLS_CODE =
  /^(ERR_TLS_|ERR_SSL_|ERR_OSSL|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO$|UND_ERR_PRX_TLS)/;

type UnreadableAnswer = { code: string; message?: string; what: string };

/** Answers that the HTTP client cannot read. */
const UNREADABLE_ANSWERS: readonly UnreadableAnswer[] = [
  {
    ...{ code: "UND_ERR_SOCKET", message: "bad response" },
    what: 'answered with "100 Continue", or with an answer that belongs to no request',
  },
  {
    ...{ code: "UND_ERR_SOCKET", message: "bad upgrade" },
    what: "answered by switching to another protocol",
  },
  // The second is the code of Node.js's own client.
  ...["UND_ERR_HEADERS_OVERFLOW", "HPE_HEADER_OVERFLOW"].map((code) => ({
    code,
    what: `answered with headers of more than ${MAX_HEADER_BYTES / 1024} KiB`,
  })),
];

/** Alerts of a server that requires a client certificate. */
const CLIENT_CERTIFICATE = /CERTIFICATE_REQUIRED|ALERT_BAD_CERTIFICATE/;

/** What the sentences call the server, and the place where its address and its TLS settings are entered. */
export type Called = { server: string; address: string; place: string };

const SERVICE: Called = { server: "The service", address: "the base URL", place: "the connection" };

/** Of connections that do not come about. `where`: where the address is entered. */
const UNREACHABLE: Readonly<Record<string, string | ((where: string) => string)>> = {
  ENOTFOUND: (where) => `its name cannot be resolved. Check ${where}, and DNS`,
  EAI_AGAIN: "DNS does not answer. Check the network and DNS",
  ECONNREFUSED: (where) => `nothing listens there. Check that it runs, and ${where}`,
  EHOSTUNREACH: "there is no route to it. Check the network",
  ENETUNREACH: "there is no route to it. Check the network",
  ETIMEDOUT: "it does not answer. Check the network, and firewalls",
  EMFILE:
    "this process has too many open files or sockets. Look for what opens them, or raise the limit (ulimit -n)",
  UND_ERR_CONNECT_TIMEOUT: "it does not answer. Check the network, and firewalls",
};
const BROKEN = "the connection broke before the answer was complete. Check the network, and try again";

/**
 * The error for an exception of the HTTP client. `mask` removes secrets from its text. With a proxy, every connection goes
 * to it: so it is what cannot be reached.
 */
export function networkError(
  error: unknown,
  server: string,
  mask: Mask,
  { called = SERVICE, proxy }: { called?: Called; proxy?: UsedProxy | undefined } = {},
): CrecError {
  const { address, place } = called;
  const host = withProxy(server, proxy);
  const proxyPlace = proxy?.place ?? `the proxy of ${place}`;
  const { code, message } = codeAndMessage(error);
  const cause = leanCause(code, mask(message));
  if (code === "UND_ERR_DESTROYED" || code === "UND_ERR_CLOSED") return new ClientClosedError();
  if (code === "UND_ERR_INVALID_ARG") {
    return new ArgumentError(
      "request",
      `The request cannot be sent: ${mask(message)}. Check its headers and path.`,
    );
  }
  if (CLIENT_CERTIFICATE.test(code)) {
    const text = `${host} refused the TLS connection (${code}). It probably requires a client certificate, or does not accept the one it got: set one in the TLS settings of ${place}.`;
    return new NetworkError("TLS_ERROR", text, { cause });
  }
  if (proxy && code === "UND_ERR_PRX_TLS") {
    const text = `No trusted connection to the proxy ${nameOf(proxy)}. Check https or http in ${proxyPlace}, and that this machine trusts its certificate (NODE_EXTRA_CA_CERTS).`;
    return new NetworkError("TLS_ERROR", text, { cause });
  }
  if (TLS_CODE.test(code)) {
    const text = `No trusted connection to ${host}: ${certificateSentence(code, called)}. (${code})`;
    return new NetworkError("TLS_ERROR", text, { cause });
  }
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") return tooLarge(host, cause);
  const unreadable = UNREADABLE_ANSWERS.find(
    (one) => one.code === code && (one.message ?? message) === message,
  );
  if (unreadable) {
    const text = `${host} ${unreadable.what}. Look for a proxy that does this, and check ${address}.`;
    return new BadResponseError("BAD_RESPONSE", text, { cause });
  }
  if (code.startsWith("HPE_") && code !== "HPE_INVALID_EOF_STATE") {
    const text = `${host} does not speak HTTP as expected (${code}). Check https or http, and the port, in ${address}.`;
    return new BadResponseError("BAD_RESPONSE", text, { cause });
  }
  const why = UNREACHABLE[code];
  const what = proxy && why ? `The proxy at ${nameOf(proxy)}` : `${called.server} at ${host}`;
  const where = proxy ? proxyPlace : `${address} of ${place}`;
  const reason =
    code === "UND_ERR_ABORTED"
      ? refusedBy(proxyPlace, message, `${address} of ${place}`)
      : typeof why === "function"
        ? why(where)
        : (why ?? BROKEN);
  const asked = proxy ? nameOf(proxy) : server;
  const inContainer =
    code === "ECONNREFUSED" && isLoopback(asked.replace(/:\d+$/, ""))
      ? ` If this runs in a container, ${asked} means the container itself.`
      : "";
  const text = `${what} cannot be reached: ${reason}.${inContainer}`;
  return new NetworkError("SERVICE_UNREACHABLE", text, { cause, retryable: true });
}

function codeAndMessage(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: "", message: String(error) };
  const known = "code" in error && typeof error.code === "string" ? error.code : "";
  // Without a tunnel, a proxy that requires credentials is reported as an invalid argument.
  if (known === "UND_ERR_INVALID_ARG" && error.message.includes(LOGIN_REQUIRED))
    return { code: "UND_ERR_ABORTED", message: error.message };
  // The parser sets no code when the answer is not HTTP from its first byte.
  const code = known === "" && error.name === "HTTPParserError" ? "HPE_INVALID" : known;
  return { code, message: error.message };
}

const LOGIN_REQUIRED = "Proxy Authentication Required";

/** What the status says with which a proxy refused a tunnel. */
function refusedBy(proxyPlace: string, message: string, address: string): string {
  const [, found] = /\((\d{3})\)/.exec(message) ?? [];
  const status = Number(found ?? (message.includes(LOGIN_REQUIRED) ? 407 : 0));
  const refused = `the proxy refused the connection${status === 0 ? "" : ` (HTTP ${status})`}`;
  if (status === 0) return `${refused}. Check the address and the credentials in ${proxyPlace}`;
  if (status === 407) return `${refused}: it requires a login. Check the credentials in ${proxyPlace}`;
  if (status >= 500) {
    return `${refused}: it does not reach the server itself. Check ${address}, and that the server runs; else ask who runs the proxy`;
  }
  return `${refused}: it does not permit this server. Check ${address}, or ask who runs the proxy to permit it`;
}

/** The HTTP client's errors may contain parts of the answer: only code and message are kept. */
function leanCause(code: string, message: string): Error {
  return Object.assign(new Error(message), code === "" ? {} : { code });
}
