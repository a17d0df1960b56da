import { ArgumentError, type CrecError } from "../errors.ts";
import { BadResponseError, ClientClosedError, NetworkError } from "./errors.ts";
import { type Places, refusalStatus, tunnelSentence, unreachableSentence } from "./faults.ts";
import { type Hop, HopError } from "./hops.ts";
import { tooLarge } from "./inflate.ts";
import type { Mask } from "./masking.ts";
import { nameOf, placeOf, type UsedProxy, withProxy } from "./proxy.ts";
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
type Called = { server: string; address: string; place: string };

const SERVICE: Called = { server: "The service", address: "the base URL", place: "the connection" };

type Options = { called?: Called; proxy?: UsedProxy | undefined };

/** The error for an exception of the HTTP client. It names the hop that failed. `mask` removes secrets from its text. */
export function networkError(error: unknown, server: string, mask: Mask, options: Options = {}): CrecError {
  const failure = failureOf(error);
  const { code } = failure;
  const message = mask(failure.message);
  if (code === "UND_ERR_DESTROYED" || code === "UND_ERR_CLOSED") return new ClientClosedError();
  if (code === "UND_ERR_INVALID_ARG") {
    return new ArgumentError(
      "request",
      `The request cannot be sent: ${message}. Check its headers and path.`,
    );
  }
  // The HTTP client's errors may contain parts of the answer: only code and message are kept.
  const cause = Object.assign(new Error(message), code === "" ? {} : { code });
  const { called = SERVICE, proxy } = options;
  const other = failure.hop === "service" ? otherPeer(error, server) : undefined;
  if (other !== undefined) {
    const own = { ...options, proxy: { url: "", place: "the dispatcher of the client" } };
    const way = { server, called, proxy, ...placesOf(own) };
    return serverError({ ...failure, message }, other, way, cause);
  }
  const way = { server, called, proxy, ...placesOf(options) };
  if (failure.hop === "tunnel" && !(proxy && isOfProxy(code))) {
    return tunnelError({ ...failure, message }, way, cause);
  }
  const asked = failure.hop === "service" || !proxy ? undefined : nameOf(proxy);
  return serverError({ ...failure, message }, asked, way, cause);
}

type Way = Required<Omit<Options, "proxy">> & {
  server: string;
  proxy: UsedProxy | undefined;
  places: Places;
  proxyPlaces: Places;
};

/** What a server answers, or fails to: the proxy itself if `asked` has its host and port, else the service. */
function serverError(
  { code, message }: Failure,
  asked: string | undefined,
  { server, called, proxy, ...way }: Way,
  cause: Error,
): CrecError {
  const hop: Hop = asked ? "proxy" : "service";
  const host = asked ?? server;
  const details = { cause, hop, host };
  const places = asked ? way.proxyPlaces : way.places;
  const name = asked ? `the proxy ${host}` : withProxy(server, proxy);
  const whole = asked ? `The proxy at ${host}` : name;
  if (CLIENT_CERTIFICATE.test(code)) {
    const remedy = asked
      ? "a proxy gets none from here: use one that asks for a user name and password, or for nothing"
      : `set one in the TLS settings of ${called.place}`;
    const text = `${whole} refused the TLS connection (${code}). It probably requires a client certificate, or does not accept the one it got: ${remedy}.`;
    return new NetworkError("TLS_ERROR", text, details);
  }
  if (TLS_CODE.test(code)) {
    const text = `No trusted connection to ${name}: ${certificateSentence(code, places)}. (${code})`;
    return new NetworkError("TLS_ERROR", text, details);
  }
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") return tooLarge(whole, cause);
  const unreadable = unreadableAnswer(code, message);
  if (unreadable) {
    const text = `${whole} ${unreadable.what}. Look for a proxy that does this, and check ${asked ? places.address : called.address}.`;
    return new BadResponseError("BAD_RESPONSE", text, details);
  }
  if (isNotHttp(code)) {
    const text = `${whole} does not speak HTTP as expected (${code}). Check https or http, and the port, in ${asked ? places.address : called.address}.`;
    return new BadResponseError("BAD_RESPONSE", text, details);
  }
  const what = asked ? whole : `${called.server} at ${name}`;
  const why = unreachableSentence(code, { at: hop, host, places });
  return new NetworkError("SERVICE_UNREACHABLE", `${what} cannot be reached: ${why}.`, {
    ...details,
    retryable: true,
  });
}

/** A proxy that opens no way to the service, or one that is cut before anything is sent. */
function tunnelError(failure: Failure, { server, called, proxy, ...way }: Way, cause: Error): CrecError {
  const why = tunnelSentence(failure, { proxy: way.proxyPlaces, service: way.places });
  const text = `${called.server} at ${withProxy(server, proxy)} cannot be reached: ${why}.`;
  const host = proxy ? nameOf(proxy) : undefined;
  return new NetworkError("SERVICE_UNREACHABLE", text, { cause, hop: "tunnel", host, retryable: true });
}

/** `isOpen`: the proxy had opened the tunnel. */
type Failure = { hop: Hop; code: string; message: string; isOpen: boolean };

function failureOf(thrown: unknown): Failure {
  const hop = thrown instanceof HopError ? thrown.hop : "service";
  const { code, message } = codeAndMessage(thrown instanceof HopError ? thrown.cause : thrown);
  // Behind an open tunnel, an error of TLS or a silent server is about the service.
  const isCut = thrown instanceof HopError && hop === "service" && !TLS_CODE.test(code) && code !== SILENT;
  const isRefused = refusalStatus(message) !== undefined;
  return { hop: isRefused || isCut ? "tunnel" : hop, code, message, isOpen: isCut };
}

/**
 * The dispatcher of a program may connect to a proxy of its own: Node.js names what it could not reach. Undefined where that
 * is the service, or not known.
 */
function otherPeer(thrown: unknown, server: string): string | undefined {
  const first: unknown = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
  const { hostname, address, port } = (first ?? {}) as Record<string, unknown>;
  if (typeof hostname === "string") return server.startsWith(`${hostname}:`) ? undefined : hostname;
  if (typeof address !== "string" || typeof port !== "number") return undefined;
  return server.endsWith(`:${port}`) ? undefined : `${address}:${port}`;
}

const SILENT = "UND_ERR_CONNECT_TIMEOUT";

/** Whether it is about the proxy itself, although it came while a tunnel was asked for. */
function isOfProxy(code: string): boolean {
  return TLS_CODE.test(code) || isNotHttp(code) || unreadableAnswer(code, "") !== undefined;
}

function isNotHttp(code: string): boolean {
  return code.startsWith("HPE_") && code !== "HPE_INVALID_EOF_STATE";
}

function unreadableAnswer(code: string, message: string): UnreadableAnswer | undefined {
  return UNREADABLE_ANSWERS.find((one) => one.code === code && (one.message ?? message) === message);
}

function placesOf({ called: { address, place } = SERVICE, proxy }: Options): {
  places: Places;
  proxyPlaces: Places;
} {
  const settings = `the TLS settings of ${place}`;
  return {
    places: {
      address: `${address} of ${place}`,
      tls: settings,
      trust: `add its certificate to ${settings} (in code: tls.ca), or name its file in NODE_EXTRA_CA_CERTS`,
    },
    proxyPlaces: {
      address: placeOf(proxy, place),
      tls: "whether this machine trusts its certificate (NODE_EXTRA_CA_CERTS)",
      trust: "name the file of its certificate in NODE_EXTRA_CA_CERTS",
    },
  };
}

function codeAndMessage(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: "", message: String(error) };
  const known = "code" in error && typeof error.code === "string" ? error.code : "";
  // Without a tunnel, a proxy that requires credentials is reported as an invalid argument.
  if (known === "UND_ERR_INVALID_ARG" && refusalStatus(error.message) !== undefined)
    return { code: "UND_ERR_ABORTED", message: error.message };
  // The parser sets no code when the answer is not HTTP from its first byte.
  const code = known === "" && error.name === "HTTPParserError" ? "HPE_INVALID" : known;
  return { code, message: error.message };
}

type Sentence = (places: Places) => string;

const UNKNOWN_AUTHORITY: Sentence = ({ trust }) =>
  `this machine does not trust who issued its certificate. Check whether that is an authority of your own, or a proxy or virus scanner that reads along. If you trust it, ${trust}`;
const NO_TLS: Sentence = ({ address }) =>
  `it does not use TLS on this port. Check https or http, and the port, in ${address}`;

/** By the codes of Node.js and OpenSSL. */
const BY_CODE: Readonly<Record<string, Sentence>> = {
  CERT_HAS_EXPIRED: () =>
    "its certificate has expired. Check the clock of this machine. If that is right, who runs the server has to renew the certificate",
  CERT_NOT_YET_VALID: () =>
    "its certificate is not valid yet. Check the clock of this machine. If that is right, who runs the server has to replace the certificate",
  CERT_REVOKED: () => "its certificate was revoked. Ask who runs the server why, before you use this address",
  DEPTH_ZERO_SELF_SIGNED_CERT: ({ trust }) =>
    `its certificate is self-signed. Check that this is the right server, and not a proxy that reads along, then ${trust}`,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: ({ address }) =>
    `its certificate is for another host name. Check the host in ${address}, and whether a proxy or a login page answers instead`,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: ({ address, tls }) =>
    `it refused the TLS connection: it does not serve this host name, requires a client certificate, or shares no version of TLS with this machine. Check the host in ${address}, and then ${tls}`,
};

/** Why there is no trusted connection, and what to do. */
function certificateSentence(code: string, places: Places): string {
  const { address, tls } = places;
  const known = Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined;
  return known?.(places) ?? `check https or http in ${address}, the clock of this machine, and ${tls}`;
}
