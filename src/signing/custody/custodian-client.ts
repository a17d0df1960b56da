import {
  ACCEPT_ENCODING,
  baseUrlOf,
  bounded,
  heldUpSentence,
  type Mask,
  maskOf,
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
import {
  busy,
  busyForLong,
  type CustodianAnswer,
  closed,
  notingAsked,
  outageState,
  redirected,
  requestFailure,
  silent,
  unanswered,
} from "./custodian-answers.ts";
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

const CONNECT_TIMEOUT_MS = 10_000;
const ATTEMPT_TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
/** After this time without an answer, a person is probably being asked. */
const ASKS_PERSON_AFTER_MS = 1_000;
/** Answers with which a request was not taken: 429, 503, and "limit exceeded" of JSON-RPC. */
const NOT_TAKEN = /^(429|503|-32005)$/;
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
