import { ArgumentError, CrecError } from "../../errors.ts";
import { ClientClosedError, HttpError, type Mask, networkError, type UsedProxy } from "../../http/index.ts";
import { SignerError } from "./signer-error.ts";

/** Words of people and policies. */
const DENIED = /\b(denied|rejected|declined|refused|cancell?ed|policy)\b/i;
/** Words of machines, which use those of people, too: "connection refused", "context canceled". */
const FAULT =
  /\b(connection|context cancell?ed|unavailable|overloaded|too many|rate limit\w*|limit exceeded|internal error)\b/i;
/** A proxy that has waited in vain has handed the request on, whatever its status. */
const TIMED_OUT_WORDS = /\btime-?d?[ -]?out\b|\bdeadline exceeded\b/i;

/** Whether these are words of a person or a policy that decided against a signature. */
export function isDenial(words: string): boolean {
  return DENIED.test(words) && !FAULT.test(words) && !TIMED_OUT_WORDS.test(words);
}

/** What the JSON of an answer has at a path; undefined where it has nothing. */
export function fieldAt(json: unknown, ...path: ReadonlyArray<string | number>): unknown {
  return path.reduce((value, key) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    return (value as Readonly<Record<string | number, unknown>>)[key];
  }, json);
}

/** The same where it is text, or undefined. */
export function textAt(json: unknown, ...path: ReadonlyArray<string | number>): string | undefined {
  const value = fieldAt(json, ...path);
  return typeof value === "string" ? value : undefined;
}

export type CustodianAnswer = {
  status: number;
  /** The JSON of the body; undefined where it has none. */
  json: unknown;
  /** Without whole secrets. */
  text: string;
  /** Hides parts of secrets as well, in a text that is only shown. */
  mask?: Mask;
  /** The time of the answer by the clock of the key service. */
  date?: string | undefined;
};
const EXCERPT_LENGTH = 200;
/** Codes of errors, and statuses of proxies, with which a request has not reached the key service. */
const NOT_ARRIVED =
  /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|429|503|-32005)$/;

/** The error for an answer other than 2xx, where the key service has no words of its own for it. */
export function refusalOf(custodian: string, answer: CustodianAnswer): SignerError {
  const { status } = answer;
  const said = ` ${saidBy(answer)}`;
  const state = String(status);
  if (status === 401 || status === 403) {
    const message = `${custodian} refused the credentials of the signer (HTTP ${status}). Check them, and what they permit.${said}`;
    return new SignerError("SIGNER_UNAUTHORIZED", message, { state });
  }
  if (status === 404) {
    const message = `${custodian} has no such key (HTTP 404). Check the key's name or id, and the address of the key service.${said}`;
    return new SignerError("SIGNER_KEY_UNSUITABLE", message, { state });
  }
  if (isDenial(wordsOf(answer) ?? "")) {
    const message = `${custodian} refused to sign (HTTP ${status}). Nothing was submitted.${said}`;
    return new SignerError("SIGNER_REFUSED", message, { state });
  }
  const message = `${custodian} did not accept the request (HTTP ${status}), which is not a decision. Nothing was submitted. Check the signer and the log of the key service, or try again later.${said}`;
  return new SignerError("SIGNER_UNAVAILABLE", message, { state, isAsked: true });
}

/** The error for an answer of another shape than documented. `wanted`: what is missing, such as "signature". */
export function badAnswer(custodian: string, wanted: string, answer: CustodianAnswer): SignerError {
  const message = `${custodian} sent no ${wanted} (HTTP ${answer.status}). Check the address in the signer, and whether a proxy answered instead. ${saidBy(answer)}`;
  return new SignerError("SIGNER_BAD_ANSWER", message, { state: String(answer.status) });
}

/** A body without words that are meant for people is not quoted: a proxy's may have anything in it. */
export function saidBy(answer: Omit<CustodianAnswer, "status">): string {
  const { text, mask = (said) => said } = answer;
  const said = wordsOf(answer);
  if (said !== undefined) return `It said: ${excerpt(mask(said))}`;
  return text === "" ? "It sent nothing else." : `It sent ${Buffer.byteLength(text)} bytes.`;
}

function wordsOf({ json }: Pick<CustodianAnswer, "json">): string | undefined {
  const all = fieldAt(json, "errors");
  const several = Array.isArray(all) ? all.join("; ") : undefined;
  return textAt(json, "error") ?? textAt(json, "message") ?? several;
}

/** The start of a text in an answer, on one line, without any part of a secret. Empty where the text is. */
export function quoted(text: string, { mask = (said) => said }: Pick<CustodianAnswer, "mask">): string {
  return text === "" ? "" : excerpt(mask(text));
}

/** The start of what a key service said, on one line. */
export function excerpt(text: string): string {
  const line = text.replace(/[\p{C}\s]+/gu, " ").trim();
  if (line === "") return "nothing.";
  if (line.includes("\ufffd")) return "bytes that are not text.";
  return line.length > EXCERPT_LENGTH ? `${line.slice(0, EXCERPT_LENGTH)}…` : line;
}

/** The error for an exception of the HTTP client. `address`: what the signer calls the address of the key service. */
export function requestFailure(
  thrown: unknown,
  host: string,
  mask: Mask,
  {
    custodian,
    address = "the address",
    proxy,
  }: { custodian: string; address?: string; proxy: UsedProxy | undefined },
): CrecError {
  const called = { server: custodian, address, place: "the signer" };
  const error = thrown instanceof CrecError ? thrown : networkError(thrown, host, mask, { called, proxy });
  if (error instanceof ClientClosedError) return closed();
  if (error instanceof ArgumentError) return error;
  const { cause, retryable } = error;
  const { hop } = error instanceof HttpError ? error : {};
  if (error.code === "RESPONSE_TOO_LARGE") {
    const message = `${custodian} at ${host} sent more than any key service does. Check the address in the signer, and whether a proxy answered instead.`;
    return new SignerError("SIGNER_BAD_ANSWER", message, { cause });
  }
  const code = error.code === "BAD_RESPONSE" ? "SIGNER_BAD_ANSWER" : "SIGNER_UNAVAILABLE";
  return new SignerError(code, error.message, { cause, retryable, hop });
}

export function silent(place: string): SignerError {
  const message = `${place} does not answer. Check the network, and try again later.`;
  return new SignerError("SIGNER_UNAVAILABLE", message);
}

export function unanswered(place: string): SignerError {
  const message = `${place} gave no signature within the signer's time-out. Nothing was submitted. Ask the person who approves, or set a longer time-out in the signer.`;
  return new SignerError("SIGNER_TIMEOUT", message);
}

export function closed(): ClientClosedError {
  const message =
    "The signer was closed before it had a signature: in a flow, by a deploy. Nothing was submitted with it. Create a new signer.";
  return new ClientClosedError("CLIENT_CLOSED", message);
}

/** The failure of a request that the key service may have taken says so: a repeat would ask again. */
export function notingAsked(error: unknown): unknown {
  if (!(error instanceof SignerError) || !error.retryable) return error;
  const { code, message, cause, state, retryAfterMs, hop } = error;
  if (hop === "proxy" || hop === "tunnel") return error;
  const reason = state ?? (cause as { code?: string } | undefined)?.code ?? "";
  if (NOT_ARRIVED.test(reason)) return error;
  return new SignerError(code, message, { cause, state, retryAfterMs, hop, isAsked: true });
}

export function redirected(place: string, status: number, location: string): SignerError {
  const message = `${place} redirects to ${excerpt(location)} (HTTP ${status}). Credentials are sent only to the address in the signer: enter the address that answers itself.`;
  return new SignerError("SIGNER_BAD_ANSWER", message, { state: String(status) });
}

export function outageState({ status, text }: CustodianAnswer): string {
  return status === 503 && TIMED_OUT_WORDS.test(text) ? "503 after a time-out" : String(status);
}

export function busyForLong(place: string, state: string, cause: SignerError): SignerError {
  const message = `${place} took no request within the signer's time-out (${state}). Nothing was submitted. Try again later, or set a longer time-out in the signer.`;
  return new SignerError("SIGNER_TIMEOUT", message, { state, cause });
}

export function busy(
  place: string,
  answer: CustodianAnswer,
  { state, retryAfterMs }: { state: string; retryAfterMs: number | undefined },
): SignerError {
  const { status } = answer;
  const seconds = Math.ceil((retryAfterMs ?? 0) / 1000);
  const when = seconds > 0 ? `in ${seconds} s, as it asks` : "later";
  const why = status === 429 || status < 400 ? "accepts no more requests now" : "fails";
  const message = `${place} ${why} (HTTP ${status}). Try again ${when}. ${saidBy(answer)}`;
  return new SignerError("SIGNER_UNAVAILABLE", message, { state, retryAfterMs });
}
