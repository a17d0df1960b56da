import { ArgumentError, CrecError } from "../errors.ts";
import { RETRIES } from "../retry/policies.ts";
import { systemClock } from "../timing/index.ts";
import { type Answer, authorizationCode, readAnswer, requestIdOf } from "./answer.ts";
import { bounded, type Countdown } from "./bounded.ts";
import type { Call, CallOptions } from "./call.ts";
import { apiKeyOf, baseUrlOf, type QueryParameters, withQuery } from "./call.ts";
import { CallBudget, holdMsOf } from "./call-budget.ts";
import { CallQueue, Lane, type Rank } from "./call-queue.ts";
import { openSocketPool } from "./dispatcher.ts";
import { ClientClosedError, HttpError } from "./errors.ts";
import { exhausted, held, timedOut } from "./faults.ts";
import { ACCEPT_ENCODING, readText } from "./inflate.ts";
import { type Mask, maskOf } from "./masking.ts";
import { networkError } from "./network-errors.ts";
import { nameOf, opensNoTunnel, proxyFor, type UsedProxy, withProxy } from "./proxy.ts";
import { RetryBudget, retryCall } from "./retry.ts";
import { ServiceClock } from "./service-clock.ts";
import type { HttpDispatcher, OutgoingRequest, SocketPool } from "./socket-pool.ts";
import type { TransportOptions } from "./transport-options.ts";
import { callHook, callOptions, type Hooks, transportOptions } from "./transport-options.ts";
import { VERSION } from "./version.ts";

/** Sends calls to one service with one key: deadlines, retries, typed errors. The key never shows. */
export class Transport {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly #origin: string;
  readonly #host: string;
  readonly #proxy: UsedProxy | undefined;
  /** The proxy that passes on each answer, where it opens no tunnel. */
  readonly #relay: string | undefined;
  readonly #basePath: string;
  readonly #apiKey: string;
  readonly #mask: Mask;
  readonly #timeoutMs: number;
  readonly #attemptTimeoutMs: number;
  readonly #maxAttempts: number;
  readonly #maxResponseBytes: number;
  readonly #budget: CallBudget;
  readonly #queue: CallQueue;
  readonly #retries = new RetryBudget();
  readonly #clock = new ServiceClock(() => performance.now());
  readonly #hooks: Hooks;
  readonly #admit: TransportOptions["admit"];
  /** Of the calls that are admitted last. */
  readonly #lastLane = new Lane();
  readonly #dispatcher: HttpDispatcher;
  readonly #destroyPool: () => Promise<void>;
  readonly #heldUpAt: SocketPool["heldUpAt"];
  readonly #closing = new AbortController();

  /** @throws {ArgumentError} when an option is not usable. */
  constructor(given: TransportOptions) {
    const options = transportOptions(given);
    const url = baseUrlOf(options.baseUrl);
    this.#origin = url.origin;
    this.#host = url.port === "" ? `${url.hostname}:${url.protocol === "https:" ? 443 : 80}` : url.host;
    this.#basePath = url.pathname.replace(/\/+$/, "");
    this.baseUrl = this.#origin + this.#basePath;
    this.#apiKey = apiKeyOf(options.apiKey);
    this.#mask = maskOf([this.#apiKey]);
    this.#timeoutMs = options.timeoutMs ?? 30_000;
    this.#attemptTimeoutMs = options.attemptTimeoutMs ?? Math.max(10_000, this.#timeoutMs / 3);
    this.#maxAttempts = options.maxAttempts ?? RETRIES.request.limit + 1;
    this.#maxResponseBytes = options.maxResponseBytes ?? 32 * 1024 * 1024;
    this.#budget = new CallBudget(options.requestsPerMinute, () => performance.now());
    this.#queue = new CallQueue(options.maxConcurrency ?? 16, this.#budget, systemClock);
    this.#hooks = { onRequest: options.onRequest, onResponse: options.onResponse };
    this.#admit = options.admit;
    this.#proxy = options.dispatcher ? undefined : proxyFor(options.proxy, url, process.env);
    this.#relay = this.#proxy && opensNoTunnel(this.#proxy, url) ? nameOf(this.#proxy) : undefined;
    const pool: SocketPool = options.dispatcher
      ? { dispatcher: options.dispatcher, destroy: () => Promise.resolve() }
      : openSocketPool({
          tls: options.tls,
          proxy: this.#proxy?.url,
          connectTimeoutMs: this.#attemptTimeoutMs,
          maxResponseBytes: this.#maxResponseBytes,
        });
    this.#dispatcher = pool.dispatcher;
    this.#destroyPool = pool.destroy;
    this.#heldUpAt = pool.heldUpAt;
  }

  /** How long a whole call may take that does not set a time itself, in milliseconds. */
  get timeoutMs(): number {
    return this.#timeoutMs;
  }

  /** Fires when the transport is closed, with the error to throw as its reason. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** The time of the service in Unix milliseconds, by the head of its last answer; undefined without one. */
  get serviceTime(): number | undefined {
    return this.#clock.now();
  }

  async get<T>(path: string, query?: QueryParameters, options?: CallOptions): Promise<T> {
    return this.request({ ...callOptions(options), method: "GET", path, query });
  }

  /** Never retried: for a call that may be, use `request` with `idempotent`. */
  async post<T>(path: string, body: unknown, options?: CallOptions): Promise<T> {
    return this.request({ ...callOptions(options), method: "POST", path, body });
  }

  async patch<T>(path: string, body: unknown, options?: CallOptions): Promise<T> {
    return this.request({ ...callOptions(options), method: "PATCH", path, body });
  }

  /**
   * Makes a call, whose options were checked, and returns what `read` makes of the answer.
   * @throws {HttpError} for every failure; {ArgumentError} for a call that cannot be sent.
   */
  async request<T>(call: Call): Promise<T> {
    const message = this.#message(call);
    const { timeoutMs = this.#timeoutMs } = call;
    const maxAttempts = call.method === "GET" || call.idempotent ? this.#maxAttempts : 1;
    const read = call.read ?? readAnswer;
    let lastFailure: unknown;
    let isWaiting = false;

    const attempt = (signal: AbortSignal, countdown: Countdown) => async (number: number) => {
      try {
        if (!call.lane) this.#requireInTime(countdown);
        isWaiting = true;
        return read(
          await this.#inTurn(call, signal, countdown, () => {
            isWaiting = false;
            return this.#exchange(message, number, signal);
          }),
        ) as T;
      } catch (error) {
        lastFailure = error;
        throw error;
      }
    };
    const bounds = {
      timeoutMs,
      onTimeout: () =>
        isWaiting && this.#queue.lacksBudget
          ? exhausted(call, this.#budget, lastFailure)
          : this.#timedOut(call, timeoutMs, lastFailure),
      signals: [call.signal, this.#closing.signal],
    };
    const budget = this.#retries;
    return bounded(bounds, (signal, countdown) =>
      retryCall({ maxAttempts, countdown, signal, budget }, attempt(signal, countdown)),
    );
  }

  /** Runs work when the turn of the call has come. */
  #inTurn<T>(call: Call, signal: AbortSignal, countdown: Countdown, work: () => Promise<T>): Promise<T> {
    const lane = this.#admit?.() === "last" ? this.#lastLane : call.lane;
    const rank: Rank = lane ?? (call.method === "GET" ? "read" : "act");
    if (call.lane) countdown.pause();
    const begun = performance.now();
    return this.#queue.run(rank, signal, () => {
      if (call.lane) countdown.resume();
      callHook(call.onTurn, performance.now() - begun);
      return work();
    });
  }

  /** The service said when it accepts requests again: an error now is better than one after the wait. */
  #requireInTime({ leftMs }: Countdown): void {
    const { heldMs } = this.#budget;
    if (heldMs === 0 || heldMs < leftMs) return;
    throw held(heldMs);
  }

  /** Ends every call immediately with `CLIENT_CLOSED` and closes all sockets. */
  async close(): Promise<void> {
    this.#closing.abort(new ClientClosedError());
    await this.#destroyPool();
  }

  /** One attempt: the request, and its answer read to the end, under the deadline of an attempt. */
  async #exchange(message: OutgoingRequest, attempt: number, signal: AbortSignal): Promise<Answer> {
    if (!this.#hooks.onRequest && !this.#hooks.onResponse) return this.#send(message, signal);
    const info = { method: message.method, url: this.#mask(this.#origin + message.path), attempt };
    const { authorization: _key, ...headers } = message.headers;
    for (const [name, value] of Object.entries(headers)) headers[name] = this.#mask(value);
    callHook(this.#hooks.onRequest, { ...info, headers });
    const begun = performance.now();
    const ended = () => ({ ...info, durationMs: performance.now() - begun });
    try {
      const answer = await this.#send(message, signal);
      const requestId = requestIdOf(answer);
      const { status } = answer;
      const errorCode = authorizationCode(answer);
      callHook(this.#hooks.onResponse, {
        ...ended(),
        status,
        ...(errorCode === undefined ? {} : { errorCode }),
        ...(requestId === undefined ? {} : { requestId }),
      });
      return answer;
    } catch (error) {
      const { hop, host } = error instanceof HttpError ? error : {};
      callHook(this.#hooks.onResponse, {
        ...ended(),
        errorCode: error instanceof CrecError ? error.code : "",
        ...(hop ? { hop } : {}),
        ...(host ? { host } : {}),
      });
      throw error;
    }
  }

  #send(message: OutgoingRequest, signal: AbortSignal): Promise<Answer> {
    const bounds = {
      timeoutMs: this.#attemptTimeoutMs,
      onTimeout: () => this.#timedOut(message, this.#attemptTimeoutMs),
      signals: [signal],
    };
    return bounded(bounds, async (attemptSignal) => {
      try {
        const response = await this.#dispatcher.request({ ...message, signal: attemptSignal });
        const { statusCode: status, headers, body } = response;
        this.#clock.note(headers.date);
        this.#budget.hold(holdMsOf({ status, headers }, message.method));
        const answer = {
          status,
          host: withProxy(this.#host, this.#proxy),
          relay: this.#relay,
          mask: this.#mask,
        };
        const encoding = headers["content-encoding"];
        const text = await readText({ ...answer, body, encoding, maxBytes: this.#maxResponseBytes });
        return { ...answer, headers, text };
      } catch (error) {
        if (error instanceof CrecError) throw error;
        throw networkError(error, this.#host, this.#mask, { proxy: this.#proxy });
      }
    });
  }

  #timedOut(call: { method: string }, timeoutMs: number, cause?: unknown): CrecError {
    const way = { server: this.#host, proxy: this.#proxy, heldUpAt: this.#heldUpAt?.() };
    return timedOut(call, { ...way, timeoutMs, cause });
  }

  #message(call: Call): OutgoingRequest {
    const path = withQuery(this.#basePath + call.path, call.query) || "/";
    if ((call.path !== "" && !call.path.startsWith("/")) || /[^\x21-\x7e]|#/.test(path)) {
      throw new ArgumentError(
        "path",
        "The path must begin with / and contain no spaces, # or unescaped letters.",
      );
    }
    const headers: Record<string, string> = {
      accept: "application/json",
      "accept-encoding": ACCEPT_ENCODING,
      "user-agent": `crec-client/${VERSION}`,
    };
    for (const [name, value] of Object.entries(call.headers ?? {})) headers[name.toLowerCase()] = value;
    delete headers.authorization;
    if (!call.anonymous) headers.authorization = `Apikey ${this.#apiKey}`;
    if (call.body === undefined) return { origin: this.#origin, path, method: call.method, headers };
    headers["content-type"] = "application/json";
    return { origin: this.#origin, path, method: call.method, headers, body: jsonOf(call.body) };
  }
}

/** @throws {ArgumentError} naming `body`; the message does not contain it. */
function jsonOf(body: unknown): string {
  try {
    return JSON.stringify(body);
  } catch {
    const message =
      "The body cannot be written as JSON: it contains a bigint, or itself. Write a bigint as decimal text.";
    throw new ArgumentError("body", message);
  }
}
