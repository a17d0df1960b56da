import { ArgumentError, CrecError } from "../../errors.ts";
import {
  ACCEPT_ENCODING,
  baseUrlOf,
  bounded,
  ClientClosedError,
  HttpError,
  heldUpSentence,
  type Mask,
  maskOf,
  networkError,
  type OutgoingRequest,
  openSocketPool,
  proxyFor,
  readText,
  retryAfterMs,
  type SocketPool,
  tryParse,
  type UsedProxy,
  VERSION,
  withProxy,
} from "../../http/index.ts";
import { RETRIES } from "../../retry/policies.ts";
import { Again, retry } from "../../retry/retry.ts";
import { LONGEST_TIMER_MS, sleep } from "../../timing/index.ts";
import type { SignOptions } from "../signer.ts";
import { fieldAt, isDenial, TIMED_OUT_WORDS, textAt } from "./answer-fields.ts";
import type { CustodyOptions } from "./custody-signer.ts";
import { SignerError } from "./signer-error.ts";

export type CustodianClientOptions = CustodyOptions & {
  /** The key service, as people call it. */
  custodian: string;
  /** `http` or `https`, without credentials, query or fragment. */
  baseUrl: string;
  /** Never shown in an error. Neither is what a call sends as `authorization`. */
  secrets: readonly string[];
  /** How long one attempt may take, in milliseconds. @default 15_000 */
  attemptTimeoutMs?: number | undefined;
};

export type CustodianCall = {
  method: OutgoingRequest["method"];
  /** Appended to the path of the base URL; with its query. */
  path: string;
  /** A function is called for each attempt: for tokens that are valid once. */
  headers?: Record<string, string> | (() => Record<string, string>);
  /** Sent as it is. */
  body?: string | undefined;
  /**
   * Whether it is repeated while the key service does not answer. Not a request to sign: its failure says if it may have
   * been taken, and then a repeat would ask again.
   */
  repeats: boolean;
  /** A login that may be valid once: it is not repeated here, and its failure says nothing of a request to sign. */
  isLogin?: boolean | undefined;
  /** Never shown in an error of this call. */
  secrets?: readonly string[] | undefined;
  /** Whether an answer that looks like an outage, 429 or 5xx, is the answer that every repeat would get. */
  isFinal?: ((answer: CustodianAnswer) => boolean) | undefined;
  /** What the key service calls an answer that says "later", where its status does not say so. */
  busyState?: ((answer: CustodianAnswer) => string | undefined) | undefined;
  /** Where a person has to answer: how long that may take, in milliseconds. */
  waitsForPersonMs?: number | undefined;
  /** For so long it is asked again while it takes no requests, or cannot be reached. @default as `repeats` says */
  withinMs?: number | undefined;
  onState?: SignOptions["onState"];
  signal?: AbortSignal | undefined;
};

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

const CONNECT_TIMEOUT_MS = 10_000;
const ATTEMPT_TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
const EXCERPT_LENGTH = 200;
/** After this time without an answer, a person is probably being asked. */
const ASKS_PERSON_AFTER_MS = 1_000;
/** Answers with which a request was not taken: 429, 503, and "limit exceeded" of JSON-RPC. */
const NOT_TAKEN = /^(429|503|-32005)$/;
/** Codes of errors, and statuses of proxies, with which a request has not reached the key service. */
const NOT_ARRIVED =
  /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|429|503|-32005)$/;
const HEADERS = {
  accept: "application/json",
  "accept-encoding": ACCEPT_ENCODING,
  "user-agent": `crec-client/${VERSION}`,
};

/**
 * Calls the REST interface of a key service. Redirects are not followed: they would take the credentials elsewhere.
 * Errors have no secret.
 */
export class CustodianClient {
  readonly #called: { custodian: string; place: string; proxy: UsedProxy | undefined };
  readonly #base: URL;
  readonly #pool: SocketPool;
  readonly #mask: Mask;
  readonly #maskWhole: Mask;
  readonly #attemptTimeoutMs: number;
  readonly #closing = new AbortController();

  /** @throws {ArgumentError} naming `url`, `tls` or `proxy` */
  constructor({ custodian, baseUrl, secrets, tls, proxy, attemptTimeoutMs }: CustodianClientOptions) {
    this.#base = baseUrlOf(baseUrl, "url");
    const through = proxyFor(proxy, this.#base, process.env);
    const place = `${custodian} at ${withProxy(this.#base.host, through)}`;
    this.#called = { custodian, place, proxy: through };
    this.#mask = maskOf(secrets);
    this.#maskWhole = maskOf(secrets, { isWhole: true });
    this.#attemptTimeoutMs = attemptTimeoutMs ?? ATTEMPT_TIMEOUT_MS;
    this.#pool = openSocketPool({
      tls,
      proxy: through?.url,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      maxResponseBytes: MAX_ANSWER_BYTES,
    });
  }

  /** The path that a call requests, with that of the base URL: what some key services sign. */
  pathOf(path: string): string {
    return `${this.#base.pathname.replace(/\/+$/, "")}${path}` || "/";
  }

  /**
   * Any answer but a redirect, and one that says "later". While it says so, it is asked again.
   * @throws {SignerError} `SIGNER_UNAVAILABLE`, `SIGNER_BAD_ANSWER`, `SIGNER_TIMEOUT`; {AbortedError};
   * {ClientClosedError} after `close`
   */
  async call(call: CustodianCall): Promise<CustodianAnswer> {
    const { repeats, isLogin = false, withinMs, waitsForPersonMs, onState, signal } = call;
    const endsAt = performance.now() + (withinMs ?? LONGEST_TIMER_MS);
    const left = () => Math.max(0, endsAt - performance.now());
    const pause = async (ms: number, failure: unknown, attempt: number) => {
      const error = failure as SignerError;
      const state = `${error.state ?? "no answer"}, asked ${attempt === 1 ? "once" : `${attempt} times`}`;
      onState?.({ state, isForPerson: false });
      await this.pause(Math.min(ms, left()), signal);
      if (performance.now() >= endsAt) throw busyForLong(this.#called.place, state, error);
    };
    return retry(pause, async () => {
      const leftMs = Math.max(1, left());
      const forPerson = waitsForPersonMs === undefined ? undefined : Math.min(waitsForPersonMs, leftMs);
      try {
        return await this.#attempt({ ...call, waitsForPersonMs: forPerson });
      } catch (error) {
        if (!(error instanceof SignerError) || !error.retryable) throw error;
        const policy = RETRIES.custodian;
        if (withinMs !== undefined && NOT_TAKEN.test(error.state ?? ""))
          return new Again(error, { ...policy, limit: Number.POSITIVE_INFINITY, maxRetryAfter: left() });
        if (!repeats && (withinMs === undefined || error.isAsked || isLogin)) throw error;
        return new Again(error, { ...policy, maxRetryAfter: Math.min(policy.maxRetryAfter, left()) });
      }
    });
  }

  /** Waits, until the signal fires or the client is closed. @throws {AbortedError}; {ClientClosedError} */
  pause(ms: number, signal?: AbortSignal): Promise<void> {
    const bounds = {
      timeoutMs: LONGEST_TIMER_MS,
      onTimeout: () => new SignerError("SIGNER_TIMEOUT", "The pause took too long."),
      signals: [signal, this.#closing.signal],
    };
    return bounded(bounds, (within) => sleep(ms, within));
  }

  /** Ends every call and pause with `CLIENT_CLOSED`, and closes all sockets. */
  async close(): Promise<void> {
    this.#closing.abort(closed());
    await this.#pool.destroy();
  }

  /** One request and its whole answer, without secrets. */
  async #attempt({ method, path, body, ...call }: CustodianCall): Promise<CustodianAnswer> {
    const { custodian, place, proxy } = this.#called;
    const isForPerson = call.waitsForPersonMs !== undefined;
    const headers = (typeof call.headers === "function" ? call.headers() : call.headers) ?? {};
    const ofCall = [headers.authorization?.replace(/^\w+ /, "") ?? "", ...(call.secrets ?? [])];
    // Made only where something is shown.
    const mask = (text: string) => this.#mask(maskOf(ofCall)(text));
    const request: OutgoingRequest = {
      origin: this.#base.origin,
      path: this.pathOf(path),
      method,
      headers: { ...HEADERS, ...headers },
      ...(body === undefined ? {} : { body }),
    };
    const timeoutMs = call.waitsForPersonMs ?? this.#attemptTimeoutMs;
    const bounds = {
      timeoutMs,
      onTimeout: () => {
        const hop = this.#pool.heldUpAt?.();
        const way = { server: this.#base.host, proxy, place: "the signer", timeoutMs };
        const heldUp = heldUpSentence(hop, way);
        if (heldUp !== undefined) return new SignerError("SIGNER_UNAVAILABLE", heldUp, { hop });
        return isForPerson ? unanswered(place) : silent(place);
      },
      signals: [call.signal, this.#closing.signal],
    };
    return bounded(bounds, async (signal) => {
      const report = () => call.onState?.({ state: "no answer yet", isForPerson });
      const timer = isForPerson ? setTimeout(report, ASKS_PERSON_AFTER_MS) : undefined;
      try {
        const answer = await this.#pool.dispatcher.request({ ...request, signal });
        const { statusCode: status, headers } = answer;
        const encoding = headers["content-encoding"];
        const received = { body: answer.body, encoding, status, host: this.#base.host, mask };
        const whole = await readText({ ...received, maxBytes: MAX_ANSWER_BYTES });
        const text = this.#maskWhole(maskOf(ofCall, { isWhole: true })(whole));
        if (status >= 300 && status < 400)
          throw redirected(place, status, mask(String(headers.location ?? "")));
        const date = headers.date === undefined ? undefined : String(headers.date);
        const read = { status, json: tryParse(text), text, date, mask };
        const isOutage = (status === 429 || status >= 500) && !call.isFinal?.(read);
        const state = call.busyState?.(read) ?? (isOutage ? outageState(read) : undefined);
        if (state === undefined) return read;
        const asked = retryAfterMs(String(headers["retry-after"] ?? ""), date);
        throw busy(place, read, { state, retryAfterMs: asked });
      } catch (thrown) {
        const error =
          thrown instanceof SignerError
            ? thrown
            : requestFailure(thrown, this.#base.host, mask, { custodian, proxy });
        throw call.repeats || call.isLogin ? error : notingAsked(error);
      } finally {
        clearTimeout(timer);
      }
    });
  }
}

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

function unanswered(place: string): SignerError {
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

function redirected(place: string, status: number, location: string): SignerError {
  const message = `${place} redirects to ${excerpt(location)} (HTTP ${status}). Credentials are sent only to the address in the signer: enter the address that answers itself.`;
  return new SignerError("SIGNER_BAD_ANSWER", message, { state: String(status) });
}

function outageState({ status, text }: CustodianAnswer): string {
  return status === 503 && TIMED_OUT_WORDS.test(text) ? "503 after a time-out" : String(status);
}

function busyForLong(place: string, state: string, cause: SignerError): SignerError {
  const message = `${place} took no request within the signer's time-out (${state}). Nothing was submitted. Try again later, or set a longer time-out in the signer.`;
  return new SignerError("SIGNER_TIMEOUT", message, { state, cause });
}

function busy(
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
