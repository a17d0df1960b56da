import { throwIfAborted, unlessAborted } from "../../abort.ts";

/** How to ask, and which answer will do. */
type Asking<T> = {
  /** Who asks: nobody gets the same answer twice. */
  by: object;
  signal: AbortSignal;
  /** Also an answer that arrived no longer ago than this, in milliseconds. */
  maxAgeMs: number;
  /** Only the answer to a call that was begun after this one. @default any */
  after?: number | undefined;
  ask: (signal: AbortSignal) => Promise<T>;
};

type Call = {
  /** Counts the calls in the order in which they were begun. */
  number: number;
  answer: Promise<unknown>;
  abort: AbortController;
  answeredAt: number | undefined;
  /** Who has asked. */
  given: Set<object>;
  waiting: number;
};

/**
 * Makes a call once for several that ask the same. Answers are kept for a moment, errors are not. A call ends when none
 * waits for it any more.
 */
export class Singleflight {
  readonly #now: () => number;
  readonly #most: number;
  /** The last call for each key. */
  readonly #calls = new Map<string, Call>();
  #begun = 0;

  /** `now` is monotonic, in milliseconds. `most`: so many answers are kept at the same time. */
  constructor(now: () => number, most: number) {
    this.#now = now;
    this.#most = most;
  }

  /**
   * The answer for a key, and the number of its call. All who ask get the same object. Rejects with what the call
   * rejects with, and with `ABORTED` as soon as the signal fires.
   */
  async ask<T>(key: string, asking: Asking<T>): Promise<{ answer: T; number: number }> {
    const { by, signal } = asking;
    throwIfAborted(signal);
    const call = this.#usable(key, asking) ?? this.#begin(key, asking.ask);
    call.given.add(by);
    call.waiting += 1;
    try {
      return { answer: (await unlessAborted(call.answer, signal)) as T, number: call.number };
    } finally {
      call.waiting -= 1;
      if (call.waiting === 0 && call.answeredAt === undefined) {
        this.#drop(key, call);
        call.abort.abort();
      }
    }
  }

  /** Forgets the answers that all of these have. */
  dropGivenTo(all: ReadonlySet<object>): void {
    for (const [key, call] of this.#calls)
      if (call.answeredAt !== undefined && [...all].every((one) => call.given.has(one)))
        this.#calls.delete(key);
  }

  /** Forgets all answers. Calls under way can still be joined. */
  dropAnswers(): void {
    for (const [key, { answeredAt }] of this.#calls) if (answeredAt !== undefined) this.#calls.delete(key);
  }

  #usable(key: string, { by, maxAgeMs, after = -1 }: Omit<Asking<unknown>, "ask">): Call | undefined {
    const call = this.#calls.get(key);
    if (call === undefined || call.given.has(by) || call.number <= after) return undefined;
    return this.#now() - (call.answeredAt ?? this.#now()) <= maxAgeMs ? call : undefined;
  }

  #begin(key: string, ask: (signal: AbortSignal) => Promise<unknown>): Call {
    const abort = new AbortController();
    const answer = ask(abort.signal);
    const call: Call = {
      ...{ number: this.#begun, answer, abort },
      answeredAt: undefined,
      given: new Set(),
      waiting: 0,
    };
    this.#begun += 1;
    this.#calls.delete(key);
    this.#calls.set(key, call);
    answer.then(
      () => {
        call.answeredAt = this.#now();
        this.#keepFew();
      },
      // Those who wait get the error.
      () => this.#drop(key, call),
    );
    return call;
  }

  #drop(key: string, call: Call): void {
    if (this.#calls.get(key) === call) this.#calls.delete(key);
  }

  /** The oldest answers go first. */
  #keepFew(): void {
    const answered = [...this.#calls].filter(([, { answeredAt }]) => answeredAt !== undefined);
    for (const [key] of answered.slice(0, Math.max(0, answered.length - this.#most))) this.#calls.delete(key);
  }
}
