import { toCodedError } from "../../lib/shared/errors.ts";

/** What is wrong: a sentence for people and a code for programs. */
export type Diagnosis = { code: string; message: string };

/** The request: its address, the name of that field in sentences, and whether the form has a proxy. */
export type Asked = { url: string; field: "base URL" | "account URL"; proxied: boolean };

/** Explains the failure of a call, and what a person can do about it in the connection's form. */
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

type Failed = { message: string; status?: number };

/** A proxy answers with these when it cannot reach the service. */
const GATEWAY_STATUSES = [502, 504];

function ofProxy({ message: said, status: answered = 0 }: Failed, cause: Cause): Diagnosis | undefined {
  if (cause.code === "UND_ERR_PRX_TLS") {
    const message =
      "The certificate of the proxy is not trusted. Check the proxy's address, and its certificate.";
    return { code: "PROXY_CERTIFICATE", message };
  }
  if (cause.code === "UND_ERR_ABORTED" || GATEWAY_STATUSES.includes(answered)) {
    const status = /\((\d{3})\)/.exec(cause.message)?.[1] ?? String(answered || "no success");
    const message =
      status === "407"
        ? "The proxy requires a user name and a password, or rejects those in its configuration (HTTP 407). Correct them there."
        : `The proxy does not connect to the service (HTTP ${status}). The service may be blocked or unreachable for the proxy: ask its operator.`;
    return { code: "PROXY_REFUSED", message };
  }
  // The library names the proxy where it, and not the service, cannot be reached.
  if (!said.startsWith("The proxy at ")) return undefined;
  return { code: "PROXY_UNREACHABLE", message: said };
}

const OWN_AUTHORITY =
  "If this is the right service, choose a TLS configuration that contains the certificate of its authority";
const UNKNOWN_AUTHORITY = `was issued by an authority that this machine does not trust. ${OWN_AUTHORITY}`;

const CERTIFICATES: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: `is self-signed. ${OWN_AUTHORITY}: here, the certificate itself`,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: "has expired. The service must renew it. Also check the clock of this machine",
  CERT_NOT_YET_VALID: "is not valid yet. Check the clock of this machine",
  CERT_REVOKED: "was revoked. Do not use this address before you know why",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "is for another host name. Correct the host in the address, or set the server name in a TLS configuration",
};

function ofCertificate(code: string, host: string): Diagnosis | undefined {
  const wrong = CERTIFICATES[code];
  if (wrong) return { code: "TLS_ERROR", message: `The certificate of ${host} ${wrong}. (${code})` };
  if (/CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|ALERT_BAD_CERTIFICATE|UNKNOWN_CA$/.test(code)) {
    const message = `${host} requires a client certificate, or rejects the one it received. Choose a TLS configuration that contains it. (${code})`;
    return { code: "TLS_ERROR", message };
  }
  if (code === "EPROTO" || /WRONG_VERSION|PACKET_LENGTH/.test(code)) {
    const message = `${host} does not use TLS on this port. Begin the address with http://, or correct the port. (${code})`;
    return { code: "TLS_ERROR", message };
  }
  return undefined;
}

const ACCOUNT_REFUSED: Diagnosis = {
  code: "KEY_REFUSED",
  message:
    "The account service refused the API key. Correct the account URL, or clear it: only account details need it.",
};

/** Another service answered. An answer that is not HTTP has its own error. */
function isForeign({ code, status }: { code: string; status?: number }, cause: Cause): boolean {
  return (code === "BAD_RESPONSE" && cause.code === "") || (status === 404 && code === "NOT_FOUND");
}

function ofForeign(error: Error & { status?: number }, { url, field }: Asked): Diagnosis {
  const how = error.status === undefined ? "" : ` (HTTP ${error.status})`;
  const received = / It (?:has \d+ bytes.*|is empty)\.$/.exec(error.message)?.[0] ?? "";
  const redirect = (error.status ?? 0) >= 300 && (error.status ?? 0) < 400;
  const what = redirect
    ? "redirects to another address, and the key is never sent there"
    : `answers, but is not ${field === "base URL" ? "the channel" : "an account"} service`;
  const hint =
    field === "account URL"
      ? "Correct the account URL: it often ends with /graphql."
      : /\/v\d+\/*$/.test(url)
        ? "Correct the base URL: perhaps it must not end with /v1."
        : "Correct the base URL: perhaps it must end with /v1.";
  return { code: "NO_SUCH_SERVICE", message: `${url} ${what}${how}. ${hint}${received}` };
}

function hostOf({ url }: Asked): string {
  return URL.canParse(url) ? new URL(url).host : "the service";
}
