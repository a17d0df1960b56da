import { toCodedError } from "../../common/shared/errors.ts";
import { type ProxyFault, proxyFault } from "../../common/shared/proxy-fault.ts";

/** What is wrong: a sentence for people and a code for programs. */
export type Diagnosis = { code: string; message: string };

/** The request: its address, the name of that field in sentences, and whether the form has a proxy. */
type Asked = { url: string; field: "base URL" | "account URL"; proxied: boolean };

/** Explains the failure of a call, and what a person can do about it in the connection's form. */
export function diagnose(thrown: unknown, asked: Asked): Diagnosis {
  const error = toCodedError(thrown) as ReturnType<typeof toCodedError> & Answered;
  const cause = causeOf(error);
  const said = error.message.replaceAll("base URL", asked.field);
  const proxied = proxyFault(error) ?? (asked.proxied ? ofRelay(error, asked.url) : undefined);
  if (proxied) return { code: proxied, message: said };
  if (isForeign(error, cause)) return ofForeign(error, said, asked);
  if (error.code === "KEY_REFUSED" && asked.field === "account URL") return ACCOUNT_REFUSED;
  return { code: error.code, message: said };
}

type Cause = { code: string };

function causeOf({ cause }: Error): Cause {
  const { code } = (cause ?? {}) as Partial<Cause>;
  return { code: String(code ?? "") };
}

type Answered = { status?: number; type?: string; hop?: string };
type Failed = { code: string; message: string } & Answered;

/** A proxy answers with these when it cannot reach the service. */
const GATEWAY_STATUSES = [502, 503, 504];

/** The code, where a proxy that passes on requests, without a tunnel, answers itself: the service's answers have a type. */
function ofRelay({ status = 0, type }: Failed, url: string): ProxyFault | undefined {
  const isOwn = url.startsWith("http:") && type === undefined && GATEWAY_STATUSES.includes(status);
  return isOwn ? "PROXY_REFUSED" : undefined;
}

const ACCOUNT_REFUSED: Diagnosis = {
  code: "KEY_REFUSED",
  message:
    "The account service refused the API key. Correct the account URL, or clear it: only account details need it.",
};

/** The library says of these itself who answered: a login, or a proxy that takes no larger request. */
const EXPLAINED_STATUSES = [401, 407, 413];

/** Another service answered. An answer that is not HTTP has its own error. */
function isForeign({ code, status = 0 }: Failed, cause: Cause): boolean {
  if (code === "BAD_RESPONSE") return cause.code === "" && !EXPLAINED_STATUSES.includes(status);
  return status === 404 && code === "NOT_FOUND";
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

function ofForeign(error: Failed, said: string, { url, field }: Asked): Diagnosis {
  if (isRedirect(error.status ?? 0)) return { code: "NO_SUCH_SERVICE", message: said };
  const how = error.status === undefined ? "" : ` (HTTP ${error.status})`;
  const received = / It (?:has \d+ bytes.*|is empty)\.$/.exec(error.message)?.[0] ?? "";
  const what = `answers, but is not ${field === "base URL" ? "the channel" : "an account"} service`;
  const hint =
    field === "account URL"
      ? "Correct the account URL: it often ends with /graphql."
      : /\/v\d+\/*$/.test(url)
        ? "Correct the base URL: perhaps it must not end with /v1."
        : "Correct the base URL: perhaps it must end with /v1.";
  return { code: "NO_SUCH_SERVICE", message: `${url} ${what}${how}. ${hint}${received}` };
}
