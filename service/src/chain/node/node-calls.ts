import { RpcRequestError, TimeoutError } from "viem";
import { messageOf } from "../../errors.ts";
import { LearnedSize } from "./learned-size.ts";
import { notAnswered, type Posted, post } from "./post.ts";
import { httpStatus, isRefusal, isRevert, isTooMuch, isTooOften, NodeBusy } from "./refusals.ts";

type NodeCallsOptions = {
  /** Time-out of one request, including the body of its answer. */
  timeoutMs?: number;
  /** Maximum size of one answer. */
  mostBytes?: number;
  /** How long a node may refuse everything because of its rate limit before waiting calls fail. */
  patienceMs?: number;
  /** Called once with the node's message when it starts to refuse calls because of its rate limit. */
  onTooOften?: (says: string) => void;
};

type Call = {
  method: string;
  params: unknown[];
  resolve(result: unknown): void;
  reject(error: unknown): void;
};
type Answer = { id?: unknown; result?: unknown; error?: RpcError };
type RpcError = { code: number; message: string; data?: unknown };

/** When a request was sent, and how long the node asked to wait. */
type Asked = { readonly sentAt: number; retryAfterMs: number | undefined };

/** Calls in one request: many providers accept this number. Fewer after a refusal. */
const MOST_IN_BATCH = 100;
/** Concurrent requests. */
const MOST_AT_ONCE = 8;
/** The logs of a full block have tens of MB. */
const MOST_BYTES = 128 * 1024 * 1024;
/** Between tries while the node limits the rate. */
const PAUSE_MS = { first: 250, longest: 8_000 };
/** How long outstanding answers are awaited when the service stops. */
const LAST_ANSWERS_MS = 1000;
/** Refusals are logged once, and again after this time without any. */
const TOLD_AGAIN_MS = 60_000;
/** Calls that only read and have small answers can share a request. Others are sent alone, so that they are not repeated. */
const SHARES = /^(?:eth_(?!getLogs)(?:get|call|chainId|gasPrice|estimateGas|blockNumber)|txpool_|web3_)/;

/**
 * JSON-RPC calls to one node. Calls of the same turn of the event loop share a request. A batch that the node refuses is
 * sent again in smaller ones. While the node limits the rate, calls wait.
 */
export class NodeCalls {
  readonly #url: string;
  readonly #options: Required<NodeCallsOptions>;
  readonly #batch = new LearnedSize(MOST_IN_BATCH);
  readonly #ended = new AbortController();
  #isEnding = false;
  #waiting: Call[] = [];
  #underWay = 0;
  #timer: NodeJS.Timeout | NodeJS.Immediate | undefined;
  #pauseMs = PAUSE_MS.first;
  #pausedUntil = 0;
  /** Since when the node has refused everything because of its rate limit. */
  #refusedSince: number | undefined;
  #lastTooOften = Number.NEGATIVE_INFINITY;

  constructor(url: string, options: NodeCallsOptions = {}) {
    this.#url = url;
    this.#options = {
      timeoutMs: 10_000,
      mostBytes: MOST_BYTES,
      patienceMs: 30_000,
      onTooOften: () => undefined,
      ...options,
    };
  }

  /**
   * The node's answer.
   *
   * @throws RpcRequestError when the node refuses the call.
   * @throws HttpRequestError, TimeoutError when it does not answer, or not in JSON-RPC.
   * @throws ResponseBodyTooLargeError when the answer to this one call is too large.
   * @throws NodeBusy when the node refuses for too long because it is asked too often.
   */
  call(method: string, params: unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ method, params, resolve, reject });
      this.#schedule();
    });
  }

  /** Calls do not wait for the rate limit after this, and only briefly for answers. */
  giveUp(): void {
    this.#isEnding = true;
    setTimeout(() => this.#ended.abort(new NodeBusy(STOPPING)), LAST_ANSWERS_MS).unref();
    if (this.#pausedUntil <= performance.now()) return;
    clearTimeout(this.#timer as NodeJS.Timeout);
    this.#timer = undefined;
    this.#pausedUntil = 0;
    this.#failWaiting(new NodeBusy(STOPPING));
  }

  #schedule(): void {
    if (this.#timer !== undefined) return;
    const send = () => {
      this.#timer = undefined;
      this.#sendWaiting();
    };
    const pause = Math.ceil(this.#pausedUntil - performance.now());
    // After this turn of the event loop: its calls go together.
    this.#timer = pause > 0 ? setTimeout(send, pause) : setImmediate(send);
  }

  #sendWaiting(): void {
    while (this.#waiting.length > 0 && this.#underWay < this.#mostAtOnce()) {
      this.#underWay += 1;
      const calls = this.#next();
      void this.#send(calls).finally(() => {
        this.#underWay -= 1;
        if (this.#waiting.length > 0) this.#schedule();
      });
    }
  }

  /** What is likely to be refused is sent by one request at a time. */
  #mostAtOnce(): number {
    const isRetry = this.#batch.isRetry && this.#waiting.length >= this.#batch.size;
    return isRetry || this.#refusedSince !== undefined ? 1 : MOST_AT_ONCE;
  }

  #next(): Call[] {
    const alone = this.#waiting.findIndex(({ method }) => !SHARES.test(method));
    const together = alone === -1 ? this.#waiting.length : Math.max(alone, 1);
    return this.#waiting.splice(0, Math.min(together, this.#batch.size));
  }

  async #send(calls: Call[]): Promise<void> {
    const asked: Asked = { sentAt: performance.now(), retryAfterMs: undefined };
    try {
      const posted = await this.#post(calls);
      asked.retryAfterMs = posted.retryAfterMs;
      this.#settle(calls, posted, asked);
    } catch (error) {
      if (isTooOften(error)) this.#wait(calls, error, asked);
      else if (this.#isForItsSize(calls, error)) this.#askInSmaller(calls);
      else for (const call of calls) call.reject(error);
    }
  }

  async #post(calls: Call[]): Promise<Posted> {
    const body = calls.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params }));
    const ended = this.#ended.signal;
    return await post(this.#url, body.length === 1 ? body[0] : body, { ...this.#options, ended });
  }

  /** @throws the error of the request as a whole. */
  #settle(calls: Call[], posted: Posted, asked: Asked): void {
    const { body } = posted;
    if (!Array.isArray(body) && (calls.length > 1 || !isAnswer(body))) throw this.#errorOf(body, posted);
    const answers = new Map(([body].flat() as Answer[]).map((answer) => [answer?.id, answer]));
    const again: Call[] = [];
    let tooOften: unknown;
    for (const [id, call] of calls.entries()) {
      const answer = calls.length === 1 ? (([body].flat() as Answer[])[0] ?? {}) : (answers.get(id) ?? {});
      if ("result" in answer) {
        this.#granted();
        call.resolve(answer.result);
        continue;
      }
      const error = this.#errorOf(answer, posted);
      if (isTooOften(error)) {
        tooOften = error;
        again.push(call);
      } else if (calls.length > 1 && (answer.error === undefined || isAboutBatch(error))) {
        again.push(call);
      } else {
        this.#granted();
        call.reject(error);
      }
    }
    if (tooOften !== undefined) this.#wait(again, tooOften, asked);
    else if (again.length > 0) this.#askInSmaller(again, calls.length);
    else this.#batch.fitted(calls.length);
  }

  /** Whether a request failed as a whole because of its size, or repeatedly without a known reason. */
  #isForItsSize(calls: Call[], error: unknown): boolean {
    if (calls.length === 1) return false;
    if (isTooMuch(error) || isAboutBatch(error)) return true;
    const mayBe = isRefusal(error) || httpStatus(error) !== undefined || error instanceof TimeoutError;
    return mayBe && this.#batch.isSuspect(calls.length);
  }

  #askInSmaller(calls: Call[], size = calls.length): void {
    this.#batch.refused(size);
    this.#waiting.unshift(...calls);
    this.#schedule();
  }

  /** Calls that were refused because of the rate limit go to the front of the queue, and the queue waits. */
  #wait(calls: Call[], error: unknown, { sentAt, retryAfterMs = 0 }: Asked): void {
    const says = messageOf(error);
    const now = performance.now();
    if (now - this.#lastTooOften > TOLD_AGAIN_MS) this.#options.onTooOften(says);
    this.#waiting.unshift(...calls);
    // Of several concurrent refusals, only one counts.
    if (sentAt > this.#lastTooOften) this.#pause(calls.length, retryAfterMs);
    this.#lastTooOften = now;
    this.#refusedSince ??= now;
    if (this.#isEnding || now - this.#refusedSince > this.#options.patienceMs) {
      this.#failWaiting(
        new NodeBusy(this.#isEnding ? STOPPING : `the node limits the rate of calls: ${says}`),
      );
      return;
    }
    this.#schedule();
  }

  #pause(size: number, retryAfterMs: number): void {
    const isAgain = this.#refusedSince !== undefined;
    // A batch with more calls than the limit would never be accepted.
    if (isAgain && size > 1) this.#batch.refused(size);
    const isLonger = isAgain && size === 1;
    this.#pauseMs = isLonger ? Math.min(2 * this.#pauseMs, PAUSE_MS.longest) : PAUSE_MS.first;
    const pause = Math.min(Math.max(retryAfterMs, this.#pauseMs), this.#options.patienceMs);
    this.#pausedUntil = performance.now() + pause;
  }

  #failWaiting(error: NodeBusy): void {
    this.#granted();
    for (const call of this.#waiting.splice(0)) call.reject(error);
  }

  #granted(): void {
    this.#refusedSince = undefined;
    this.#pauseMs = PAUSE_MS.first;
  }

  #errorOf(answer: unknown, posted: Posted): Error {
    const { error } = Object(answer) as Answer;
    if (typeof error?.message !== "string") return notAnswered(this.#url, posted);
    return new RpcRequestError({ body: {}, error: { ...error, code: Number(error.code) }, url: this.#url });
  }
}

const STOPPING = "the service is stopping";

function isAnswer(body: unknown): boolean {
  return typeof body === "object" && body !== null && ("result" in body || "error" in body);
}

function isAboutBatch(error: unknown): boolean {
  return !isRevert(error) && /\bbatch|response (is )?too (large|big)/i.test(messageOf(error));
}
