import type { CrecError } from "../errors.ts";
import { parseJson } from "../json.ts";
import {
  AuthenticationError,
  BadResponseError,
  ConflictError,
  type HttpErrorDetails,
  NotFoundError,
  RateLimitError,
  ServiceError,
  ValidationError,
} from "./errors.ts";
import { REFUSALS } from "./refusals.ts";
import { retryAfterMs } from "./retry.ts";

/** An answer as it came, its body read to the end. */
export type Answer = {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
  /** `host:port` that answered. */
  host: string;
  /** Takes the key out of a text of the answer before it goes into a message. */
  scrub: (text: string) => string;
};

const EXCERPT_LENGTH = 200;
/** Control characters, and what stands for bytes that are no UTF-8. */
const BINARY = /[\p{Cc}\ufffd]/u;
const REDIRECTS = [301, 302, 303, 307, 308];

/** The JSON of a 2xx answer; `undefined` for 204. @throws {CrecError} for every other answer. */
export function readAnswer(answer: Answer): unknown {
  if (answer.status < 200 || answer.status > 299) throw refusal(answer);
  if (answer.status === 204) return undefined;
  const json = isJson(header(answer, "content-type")) ? tryParse(answer.text) : undefined;
  if (json === undefined) throw unreadable(answer);
  return json;
}

/** The error an answer other than 2xx stands for. */
function refusal(answer: Answer): CrecError {
  const { status } = answer;
  const body = errorBody(answer.scrub(answer.text));
  const details = answerDetails(answer);
  if (status === 401) return keyRefusal(details);
  if (status === 429) return rateLimit(details);
  if (status >= 500) {
    const said = body?.message ? ` It said: ${excerpt(answer, body.message)}` : "";
    const message = `The service failed (HTTP ${status}). Try again later.${said}`;
    return new ServiceError("SERVICE_ERROR", message, { ...details, retryable: true });
  }
  if (!body) return unreadable(answer);
  const code = body.code ?? body.type;
  const message = `${REFUSALS[code] ?? `The service refused the request (HTTP ${status}).`} It said: ${excerpt(answer, body.message)}`;
  if (status === 403) return new AuthenticationError(body.code ?? "FORBIDDEN", message, details);
  if (status === 404) return new NotFoundError(code, message, details);
  if (status === 409) return new ConflictError(code, message, details);
  return new ValidationError(code, message, details);
}

/** What a refused key is, wherever the refusal stood. */
export function keyRefusal(details: HttpErrorDetails): CrecError {
  if (details.type === "ORGANIZATION_NOT_FOUND") {
    const message =
      "The service knows no organization for this API key. Check that the key is of the organization you mean.";
    return new AuthenticationError("ORGANIZATION_NOT_FOUND", message, details);
  }
  const message =
    "The service refused the API key. It may be mistyped, expired (keys last a day, a month or a year), of another service, or made before CRE Connect was enabled for the organization. Check the key of the connection, or make a new one.";
  return new AuthenticationError("KEY_REFUSED", message, details);
}

function rateLimit(details: HttpErrorDetails): CrecError {
  const seconds = Math.ceil((details.retryAfterMs ?? 0) / 1000);
  const wait = seconds > 0 ? `for ${seconds} s, as it asks` : "a while";
  const message = `The service takes no more requests from this key for now. Wait ${wait}, and ask less often.`;
  return new RateLimitError("RATE_LIMITED", message, { ...details, retryable: true });
}

/** An answer that did not come from the channel service, or that broke on its way. */
function unreadable(answer: Answer): CrecError {
  const { status, host, text } = answer;
  const redirect = REDIRECTS.includes(status);
  const what = redirect
    ? `${host} sends callers elsewhere (HTTP ${status}), and the key is never sent to another address`
    : `${host} answered with something that is not an answer of the channel service (HTTP ${status})`;
  const begin = redirect || text.trim() === "" ? "" : ` It begins: ${excerpt(answer, text)}`;
  const message = `${what}. The base URL of the connection is probably wrong, or a proxy answered in its place.${begin}`;
  return new BadResponseError("BAD_RESPONSE", message, answerDetails(answer));
}

/** What every error made from an answer tells of it. */
export function answerDetails(answer: Answer): HttpErrorDetails {
  return {
    status: answer.status,
    type: errorBody(answer.scrub(answer.text))?.type,
    requestId: requestIdOf(answer),
    retryAfterMs: retryAfterMs(header(answer, "retry-after")),
  };
}

/** At most a line's worth of a text of the answer, without the key. */
export function excerpt(answer: Answer, text: string): string {
  const line = answer.scrub(text).replace(/\s+/g, " ").trim();
  if (BINARY.test(line)) return "bytes that are no text.";
  return line.length > EXCERPT_LENGTH ? `${line.slice(0, EXCERPT_LENGTH)}…` : line;
}

/** The parsed text, or `undefined` when it is no JSON. */
export function tryParse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** A page of a proxy may happen to be JSON, too. Without a type it is given the benefit of the doubt. */
function isJson(contentType: string | undefined): boolean {
  return contentType === undefined || /^[\w.+-]+\/(?:[\w.+-]+\+)?json\b/i.test(contentType.trim());
}

function header(answer: Answer, name: string): string | undefined {
  const value = answer.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** What the service calls this exchange, for its own support. */
export function requestIdOf(answer: Answer): string | undefined {
  const id = header(answer, "x-request-id");
  return id === undefined ? undefined : answer.scrub(id).slice(0, 100);
}

/** Words that end up in `code` and `type` of an error: constants, never free text. */
const CONSTANT = /^[A-Z][A-Z0-9_]{1,63}$/;

function errorBody(text: string): { type: string; code?: string; message: string } | undefined {
  const body = tryParse(text);
  if (typeof body !== "object" || body === null) return undefined;
  const { type, code, message } = body as Record<string, unknown>;
  if (typeof type !== "string" || !CONSTANT.test(type)) return undefined;
  const known = { type, message: typeof message === "string" ? message : "nothing more." };
  return typeof code === "string" && CONSTANT.test(code) ? { ...known, code } : known;
}
