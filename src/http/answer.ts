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
import type { Mask } from "./masking.ts";
import { retryAfterMs } from "./retry.ts";
import { clockWords } from "./service-clock.ts";

/** An answer with its whole body. */
export type Answer = {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
  /** `host:port` that answered. */
  host: string;
  /** `host:port` of the proxy that passes on the answer, and may have made it itself. */
  relay?: string | undefined;
  /** Takes the key out of a text of the answer before it goes into a message. */
  mask: Mask;
};

const EXCERPT_LENGTH = 200;
/** What is looked at for an excerpt: a secret in another form is longer than in its own. */
const LOOKED_AT = 4_096;
/** Control characters, and the replacement character of bytes that are not UTF-8. */
const BINARY = /[\p{C}\ufffd]/u;
const REQUEST_ID = /^[\x21-\x7e]+$/;
const CONTENT_TYPE = /^[\w.+-]{1,40}\/[\w.+-]{1,60}$/;
/** The schemes of logins that no API key answers. */
const OTHER_LOGIN = /^\s*(?:basic|digest|negotiate|ntlm)\b/i;

/** The JSON of a 2xx answer; `undefined` for 204. @throws {CrecError} for every other answer. */
export function readAnswer(answer: Answer): unknown {
  if (answer.status < 200 || answer.status > 299) throw refusal(answer);
  if (answer.status === 204) return undefined;
  const json = isJson(header(answer, "content-type")) ? tryParse(answer.text) : undefined;
  if (json === undefined) throw unreadable(answer);
  return json;
}

/** The code of the error for an answer that refuses the key or its rights; `undefined` for every other answer. */
export function authorizationCode(answer: Answer): string | undefined {
  return answer.status === 401 || answer.status === 403 ? refusal(answer).code : undefined;
}

/** The error for an answer other than 2xx. */
function refusal(answer: Answer): CrecError {
  const { status } = answer;
  const body = errorBody(answer);
  const details = answerDetails(answer);
  if (status === 401) return isOtherLogin(answer) ? unreadable(answer) : keyRefusal(details);
  const foreign = body ? undefined : foreignSentence({ ...answer, location: undefined });
  if (status === 429) return rateLimit(details, foreign);
  if (status >= 500) {
    const said = body?.message ? ` It said: ${excerpt(answer, body.message)}` : "";
    const message = foreign ?? `The service failed (HTTP ${status}). Try again later.${said}`;
    return new ServiceError("SERVICE_ERROR", message, { ...details, retryable: true });
  }
  if (!body) return unreadable(answer);
  const code = body.code ?? body.type;
  const clock = status === 400 || status === 409 ? clockWords(header(answer, "date")) : "";
  const message = `${REFUSALS[code] ?? `The service refused the request (HTTP ${status}). Correct it by what the service says.`}${clock} It said: ${excerpt(answer, body.message)}`;
  if (status === 403) return new AuthenticationError(body.code ?? "FORBIDDEN", message, details);
  if (status === 404) return new NotFoundError(code, message, details);
  if (status === 409) return new ConflictError(code, message, details);
  return new ValidationError(code, message, details);
}

/** The error for a refused key, from an HTTP status or from a GraphQL answer. */
export function keyRefusal(details: HttpErrorDetails): CrecError {
  if (details.type === "ORGANIZATION_NOT_FOUND") {
    const message =
      "The service has no organization for this API key. Check that the key belongs to the right organization, and to the service at the base URL of the connection.";
    return new AuthenticationError("ORGANIZATION_NOT_FOUND", message, details);
  }
  const message =
    "The service refused the API key. It may be mistyped, expired (keys last a day, a month or a year), of another service, or created before CRE Connect was enabled for the organization. Check the key of the connection, or create a new one.";
  return new AuthenticationError("KEY_REFUSED", message, details);
}

/** A login page, or the login of a proxy, which is not about the API key. */
function isOtherLogin(answer: Answer): boolean {
  if (errorBody(answer)) return false;
  const isPage = answer.text.trim() !== "" && tryParse(answer.text) === undefined;
  return isPage || OTHER_LOGIN.test(header(answer, "www-authenticate") ?? "");
}

function rateLimit(details: HttpErrorDetails, foreign: string | undefined): CrecError {
  const seconds = Math.ceil((details.retryAfterMs ?? 0) / 1000);
  const wait = seconds > 0 ? `for ${seconds} s, as it asks` : "a while";
  const message = foreign
    ? `${foreign} Wait ${wait}.`
    : `The service accepts no more requests with this key for now. Wait ${wait}, and send fewer requests.`;
  return new RateLimitError("RATE_LIMITED", message, { ...details, retryable: true });
}

/** An answer that is not from the channel service, or that is incomplete. */
function unreadable(answer: Answer): CrecError {
  const { status, host } = answer;
  const sentence =
    foreignSentence({ ...answer, location: header(answer, "location") }) ??
    `The answer of ${host} is not one of the channel service (HTTP ${status}). Check the base URL of the connection, and whether a proxy answers instead of the service.`;
  const message = status >= 300 && status < 400 ? sentence : `${sentence} ${described(answer)}`;
  return new BadResponseError("BAD_RESPONSE", message, answerDetails(answer));
}

/** A body that is not the service's is not quoted: it may be a page with anything in it. */
function described(answer: Answer): string {
  const bytes = Buffer.byteLength(answer.text);
  if (bytes === 0) return "It is empty.";
  const type = (header(answer, "content-type") ?? "").split(";")[0]?.trim() ?? "";
  const isKnown = CONTENT_TYPE.test(type) && answer.mask(type) === type;
  return `It has ${bytes} bytes${isKnown ? ` of ${type}` : ""}.`;
}

/** The details of an answer that its errors carry. */
export function answerDetails(answer: Answer): HttpErrorDetails {
  return {
    status: answer.status,
    type: errorBody(answer)?.type,
    requestId: requestIdOf(answer),
    retryAfterMs: retryAfterMs(header(answer, "retry-after"), header(answer, "date")),
  };
}

/** At most a line's worth of a text of the answer, without the key. */
export function excerpt(answer: Pick<Answer, "mask">, text: string): string {
  const line = answer.mask(text.slice(0, LOOKED_AT)).replace(/\s+/g, " ").trim();
  if (BINARY.test(line)) return "bytes that are not text.";
  return line.length > EXCERPT_LENGTH ? `${line.slice(0, EXCERPT_LENGTH)}…` : line;
}

/** The parsed text, or `undefined` when it is not JSON. */
export function tryParse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Without a content type, the answer is taken for JSON; the answer of a proxy may be JSON, too. */
function isJson(contentType: string | undefined): boolean {
  return contentType === undefined || /^[\w.+-]+\/(?:[\w.+-]+\+)?json\b/i.test(contentType.trim());
}

function header(answer: Answer, name: string): string | undefined {
  const value = answer.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The id that the service gave this request, for its support. */
export function requestIdOf(answer: Answer): string | undefined {
  const id = header(answer, "x-request-id");
  if (id === undefined || !REQUEST_ID.test(id)) return undefined;
  return answer.mask(id.slice(0, LOOKED_AT)).slice(0, 100);
}

/** `code` and `type` of an error are constants, never free text. */
const CONSTANT = /^[A-Z][A-Z0-9_]{1,63}$/;

function errorBody({ text, mask }: Answer): { type: string; code?: string; message: string } | undefined {
  const body = tryParse(text);
  if (typeof body !== "object" || body === null) return undefined;
  const { type, code, message } = body as Record<string, unknown>;
  const isConstant = (value: unknown): value is string =>
    typeof value === "string" && CONSTANT.test(value) && mask(value) === value;
  if (!isConstant(type)) return undefined;
  const known = { type, message: typeof message === "string" ? message : "nothing more." };
  return isConstant(code) ? { ...known, code } : known;
}

/** An answer that is not in the words of the channel service: something before it may have answered. */
type ForeignAnswer = {
  status: number;
  /** `host:port`, perhaps with the proxy in between. */
  host: string;
  /** `host:port` of the proxy that passes on the answer, and may have made it itself. */
  relay?: string | undefined;
  location: string | undefined;
  mask: Mask;
};

const REDIRECTS = [301, 302, 303, 307, 308];

const GATEWAY_STATUSES = [502, 503, 504];

/** The words of a proxy that passes requests on. */
function notReached(status: number, host: string, relay: string): string {
  const [service = ""] = host.split(" ");
  return `The proxy at ${relay} gets no answer of the service at ${service} (HTTP ${status}). Try again later. If it stays so, check the base URL of the connection, and that the service runs; else ask who runs the proxy.`;
}

const NO_ANSWER_BEHIND = (host: string, status: number) =>
  `The service at ${host} does not answer, or a proxy before it fails (HTTP ${status}). Try again later. If it stays so, check the base URL of the connection, and the proxy.`;

const BY_STATUS: Readonly<Record<number, (host: string, status: number) => string>> = {
  401: (host) =>
    `${host} asks for another login than the API key (HTTP 401): a proxy or a login page may answer instead of the service. Check the base URL of the connection, and what stands before the service. If both are right, check the API key.`,
  403: (host) =>
    `${host} refused the request (HTTP 403), but not in the words of the channel service. Check whether a firewall or a proxy keeps this machine out, and check the base URL of the connection.`,
  407: (host) =>
    `A proxy before ${host} requires a login (HTTP 407). Choose that proxy in the connection, with its user name and password.`,
  413: (host) =>
    `The request is too large for ${host}, or for a proxy before it (HTTP 413). Send less at once, or have the proxy accept more.`,
  429: (host) =>
    `${host} accepts no more requests for now (HTTP 429), but not in the words of the channel service. A proxy or firewall may count all requests from this network, whatever their key: send fewer requests, and check what else sends some.`,
  502: NO_ANSWER_BEHIND,
  503: NO_ANSWER_BEHIND,
  504: NO_ANSWER_BEHIND,
};

/** What happened, and what to do; undefined where the status says no more than that the answer is foreign. */
function foreignSentence(answer: ForeignAnswer): string | undefined {
  const { status, host, relay } = answer;
  if (relay && GATEWAY_STATUSES.includes(status)) return notReached(status, host, relay);
  return REDIRECTS.includes(status) ? redirectSentence(answer) : BY_STATUS[status]?.(host, status);
}

function redirectSentence({ status, host, location, mask }: ForeignAnswer): string {
  const to = location !== undefined && URL.canParse(location) ? new URL(location) : undefined;
  const [own = ""] = host.split(" ");
  const ownName = own.replace(/:\d+$/, "");
  if (to?.protocol === "https:" && to.hostname === ownName && portOf(to) !== own.slice(ownName.length + 1)) {
    return `${host} redirects to https (HTTP ${status}). Correct the base URL of the connection: it must begin with ${to.origin}. The key is never sent to another address by itself.`;
  }
  const isNamed = to !== undefined && to.host !== "" && to.host.length <= 100 && mask(to.host) === to.host;
  const where = isNamed && to.hostname !== ownName ? `${to.protocol}//${to.host}` : "another address";
  return `${host} redirects to ${where} (HTTP ${status}), and the key is never sent to another address. Check the base URL of the connection, and whether a login page or a proxy answers instead of the service.`;
}

function portOf({ port }: URL): string {
  return port === "" ? "443" : port;
}

/**
 * Sentences for the error codes of the service: what happened, and what to do next.
 * The message of the service follows them with the details.
 */
export const REFUSALS: Readonly<Record<string, string>> = {
  CHANNEL_NOT_FOUND:
    "There is no such channel, or it is archived and takes nothing new. Check its id, and that the API key belongs to its organization.",
  WALLET_NOT_FOUND:
    "There is no such wallet. Check its id or address, its network, and that the API key belongs to its organization.",
  OPERATION_NOT_FOUND: "There is no such operation on this channel. Check both ids.",
  WATCHER_NOT_FOUND: "There is no such watcher on this channel. Check both ids.",
  QUERY_NOT_FOUND: "There is no such query on this channel. Check both ids.",
  EVENT_NOT_FOUND: "There is no such event on this channel. Check both ids.",
  FORBIDDEN:
    "The API key does not have the permission for this call, or what it asks for belongs to another organization. Use a key that has it.",
  NOT_FOUND: "The service has nothing at this address. Check the ids, and the base URL of the connection.",
  CHANNEL_ALREADY_EXISTS:
    "A channel with this name exists already, perhaps archived. Use it, or choose another name.",
  WALLET_ALREADY_EXISTS:
    "A wallet with this name exists already, perhaps archived. Use it, or choose another name.",
  WATCHER_ALREADY_EXISTS:
    "A watcher with this name exists already on this channel. Use it, or choose another name.",
  OPERATION_ALREADY_EXISTS:
    "This wallet already has an operation with this id. Use another wallet operation id.",
  IDEMPOTENCY_KEY_MISMATCH: "This idempotency key was used for another query. Use a new key for a new query.",
  OPERATION_NOT_FINALIZABLE:
    "Only a draft of an active channel can be finalized. Check the status of the operation, and of its channel.",
  OPERATION_NOT_CANCELLABLE:
    "Only a draft can be cancelled, and this operation is not a draft any more. Check its status.",
  OPERATION_DEADLINE_ELAPSED:
    "The operation's deadline is too near or has passed. Send it again with a later deadline, and check the clock of this machine.",
  RESOURCE_VERSION_CONFLICT:
    "This was changed by another request at the same time. Read it again, then repeat the change.",
  WALLET_ALREADY_ARCHIVED: "The wallet is archived and accepts nothing new. Use another wallet.",
  CHAIN_UNAVAILABLE:
    "The service does not have this network, or cannot reach it now. Check the network, else try again later.",
  CONFLICT: "The request conflicts with the current state. Read the current state, then decide.",
  VALIDATION_ERROR: "The service refused the values of the request. Correct those it names.",
};
