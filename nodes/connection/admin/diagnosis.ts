import { toCodedError } from "../../lib/shared/errors.ts";

/** What is wrong, for a person to read and for a test to compare. */
export type Diagnosis = { code: string; message: string };

/** What was asked: the address, by the name it has in the form, and whether a proxy stands before it. */
export type Asked = { url: string; field: "base URL" | "account URL"; proxied: boolean };

/** Makes of the failure of a call what a person can do about it in the connection's form. */
export function diagnose(thrown: unknown, asked: Asked): Diagnosis {
  const error = toCodedError(thrown) as ReturnType<typeof toCodedError> & { status?: number };
  const cause = causeOf(error);
  const found =
    (asked.proxied ? ofProxy(error, cause) : undefined) ??
    (error.code === "TLS_ERROR" ? ofCertificate(cause.code, hostOf(asked)) : undefined) ??
    (isForeign(error, cause) ? ofForeign(error, asked) : undefined);
  if (found) return found;
  if (error.code === "KEY_REFUSED" && asked.field === "account URL") return ACCOUNT_REFUSED;
  return { code: error.code, message: error.message.replaceAll("base URL", asked.field) };
}

type Cause = { code: string; message: string };

function causeOf({ cause }: Error): Cause {
  const { code, message } = (cause ?? {}) as Partial<Cause>;
  return { code: String(code ?? ""), message: String(message ?? "") };
}

type Failed = { code: string; status?: number };

/** What a proxy answers in place of a service that it does not reach. */
const GATEWAY_STATUSES = [502, 504];

/** With a proxy every way begins at it: what cannot be reached is the proxy. */
const PROXY_UNREACHABLE: Readonly<Record<string, string>> = {
  ENOTFOUND: "its name is not known",
  EAI_AGAIN: "its name could not be looked up",
  ECONNREFUSED: "nothing listens there",
  EHOSTUNREACH: "there is no way to it",
  ENETUNREACH: "there is no way to it",
  ETIMEDOUT: "it does not answer",
  UND_ERR_CONNECT_TIMEOUT: "it does not answer",
  ECONNRESET: "it broke the connection",
  UND_ERR_SOCKET: "it broke the connection",
};

function ofProxy({ code, status: answered = 0 }: Failed, cause: Cause): Diagnosis | undefined {
  if (cause.code === "UND_ERR_PRX_TLS") {
    const message =
      "The certificate of the proxy is not trusted. Check the proxy's address, and its certificate.";
    return { code: "PROXY_CERTIFICATE", message };
  }
  if (cause.code === "UND_ERR_ABORTED" || GATEWAY_STATUSES.includes(answered)) {
    const status = /\((\d{3})\)/.exec(cause.message)?.[1] ?? String(answered || "no success");
    const message =
      status === "407"
        ? "The proxy wants a user name and a password, or does not take those it was given (HTTP 407). Correct them in the proxy's configuration."
        : `The proxy does not open the way to the service (HTTP ${status}). It may not be allowed to, or not reach it itself: ask its operator.`;
    return { code: "PROXY_REFUSED", message };
  }
  const why = PROXY_UNREACHABLE[cause.code];
  if (code !== "SERVICE_UNREACHABLE" || why === undefined) return undefined;
  const message = `The proxy cannot be reached: ${why}. Correct its address in the proxy's configuration, or choose no proxy.`;
  return { code: "PROXY_UNREACHABLE", message };
}

const OWN_AUTHORITY =
  "If it is the right service, choose under TLS a configuration that holds the certificate of its authority";
const UNKNOWN_AUTHORITY = `was issued by an authority this machine does not know. ${OWN_AUTHORITY}`;

const CERTIFICATES: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: `is signed by nobody but itself. ${OWN_AUTHORITY}: here, that certificate itself`,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: "has expired. Have it renewed, and check the clock of this machine",
  CERT_NOT_YET_VALID: "is not valid yet. Check the clock of this machine",
  CERT_REVOKED: "was revoked. Do not use this address until that is explained",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "is for another name. Correct the host in the address, or give the server's name in a configuration under TLS",
};

function ofCertificate(code: string, host: string): Diagnosis | undefined {
  const wrong = CERTIFICATES[code];
  if (wrong) return { code: "TLS_ERROR", message: `The certificate of ${host} ${wrong}. (${code})` };
  if (/CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|ALERT_BAD_CERTIFICATE|UNKNOWN_CA$/.test(code)) {
    const message = `${host} wants a certificate of yours, or does not take the one it was given. Choose under TLS a configuration that holds it. (${code})`;
    return { code: "TLS_ERROR", message };
  }
  if (code === "EPROTO" || /WRONG_VERSION|PACKET_LENGTH/.test(code)) {
    const message = `${host} speaks no TLS at this port. Begin the address with http://, or correct the port. (${code})`;
    return { code: "TLS_ERROR", message };
  }
  return undefined;
}

const ACCOUNT_REFUSED: Diagnosis = {
  code: "KEY_REFUSED",
  message:
    "The account service refused the API key. Correct the account URL if the key is for another one, or leave it empty: only account details need it.",
};

/** Something answered, but nothing that knows our calls. What is no HTTP at all has a sentence of its own. */
function isForeign({ code, status }: { code: string; status?: number }, cause: Cause): boolean {
  return (code === "BAD_RESPONSE" && cause.code === "") || (status === 404 && code === "NOT_FOUND");
}

function ofForeign(error: Error & { status?: number }, { url, field }: Asked): Diagnosis {
  const how = error.status === undefined ? "" : ` (HTTP ${error.status})`;
  const begins = / It begins: [\s\S]*$/.exec(error.message)?.[0] ?? "";
  const redirect = (error.status ?? 0) >= 300 && (error.status ?? 0) < 400;
  const what = redirect
    ? "sends callers elsewhere, and the key is never sent along"
    : `answers, but not as ${field === "base URL" ? "the channel" : "an account"} service does`;
  const hint =
    field === "account URL"
      ? "Correct the account URL: it often ends with /graphql."
      : /\/v\d+\/*$/.test(url)
        ? "Correct the base URL: perhaps its end, /v1, is too much."
        : "Correct the base URL: perhaps /v1 is missing at its end.";
  return { code: "NO_SUCH_SERVICE", message: `${url} ${what}${how}. ${hint}${begins}` };
}

function hostOf({ url }: Asked): string {
  return URL.canParse(url) ? new URL(url).host : "the service";
}
