import {
  BadResponseError,
  type Call,
  type CallOptions,
  callOptions,
  NotFoundError,
  readAnswer,
  Transport,
  type TransportOptions,
  tryParse,
} from "../../http/index.ts";
import { POLLS } from "../../retry/policies.ts";
import { PollGaps } from "../../retry/poll.ts";
import { type Clock, sleep, systemClock } from "../../timing/index.ts";
import { JustCreated, MAX_CLOCK_SKEW_MS, SHOWN_WITHIN_MS } from "./just-created.ts";

/** The clock of waits for what was just created. Tests bring their own. */
export type TransportClock = Pick<Clock, "now" | "elapsed"> & { sleep: typeof sleep };

/** How a call has ended, and for how long that may still change because something was just created. */
type Outcome<T> = {
  graceMs: number;
  /** Returns the result or throws the error. `isEarly`: the call's own time is over, but not the grace period. */
  settle: (isEarly: boolean) => T;
};

/**
 * The transport of all resources. Just after a create the service may answer 404 about what it has created. For 30 s such
 * a call is repeated, as long as its own time lasts. It has not acted, so any call may be repeated.
 */
export class ResourceTransport extends Transport {
  readonly clock: TransportClock;
  readonly #justCreated: JustCreated;
  /** Whether the host has given an answer that is the service's. */
  #hasAnswered = false;

  constructor(options: TransportOptions, clock: TransportClock = { ...systemClock, sleep }) {
    super(options);
    this.clock = clock;
    this.#justCreated = new JustCreated(() => clock.elapsed());
  }

  override async request<T>(call: Call): Promise<T> {
    const learning: Call = { ...call, read: (answer) => this.#read(call, answer) };
    return this.#repeat<T>(call, async (leftMs) => {
      if (leftMs !== undefined) learning.timeoutMs = leftMs;
      try {
        const result = await super.request<T>(learning);
        return { graceMs: 0, settle: () => result };
      } catch (error) {
        if (error instanceof BadResponseError && this.#hasAnswered) stray.add(error);
        if (!(error instanceof NotFoundError)) throw error;
        const settle = (isEarly: boolean) => {
          // A 404 says more than a time-out.
          if (isEarly) early.add(error);
          throw error;
        };
        return { graceMs: this.#justCreated.graceOf(call, error.code), settle };
      }
    });
  }

  /** What `find` finds in the list at `path`, which may show late what was just created under this name. */
  async findNamed<T>(
    path: string,
    name: string,
    find: () => Promise<T | undefined>,
    options?: CallOptions,
  ): Promise<T | undefined> {
    return this.#repeat(callOptions(options), async () => {
      const found = await find();
      const graceMs = found === undefined ? this.#justCreated.graceOfName(path, name) : 0;
      return { graceMs, settle: () => found };
    });
  }

  /** Repeats a call, with growing pauses, while its outcome may change and the call's own time lasts. */
  async #repeat<T>(
    { timeoutMs = this.timeoutMs, signal }: CallOptions,
    attempt: (leftMs: number | undefined) => Promise<Outcome<T>>,
  ): Promise<T> {
    const { clock } = this;
    const deadline = clock.elapsed() + timeoutMs;
    const gaps = new PollGaps(POLLS.justCreated);
    let leftMs: number | undefined;
    for (let isFirst = true; ; isFirst = false) {
      const { graceMs, settle } = await attempt(leftMs);
      const delay = Math.min(graceMs, gaps.next({ hasNews: isFirst }));
      if (delay <= 0) return settle(false);
      if (clock.elapsed() + delay >= deadline) return settle(true);
      await clock.sleep(delay, signal, this.closing);
      leftMs = Math.max(1, deadline - clock.elapsed());
    }
  }

  /**
   * Remembers what another client has created. `createdAt` is in Unix seconds. A time more than 30 s ago, or too far in
   * the future, is ignored.
   */
  noteCreated(id: string, createdAt: unknown): void {
    if (typeof createdAt !== "number") return;
    const age = this.clock.now() - createdAt * 1000;
    if (age >= -MAX_CLOCK_SKEW_MS && age < SHOWN_WITHIN_MS) this.#justCreated.note(id, Math.max(0, age));
  }

  /** The same for a time that the service has written: by its clock, which may differ from that of this machine. */
  noteShown(id: string, createdAt: unknown): void {
    if (typeof createdAt !== "number") return;
    const now = this.clock.now();
    this.noteCreated(id, createdAt + (now - (this.serviceTime ?? now)) / 1000);
  }

  /** When something was created, in Unix seconds of this machine; undefined when that was not in the last 30 s. */
  createdAt(id: string): number | undefined {
    const age = this.#justCreated.ageOf(id);
    return age === undefined ? undefined : Math.floor((this.clock.now() - age) / 1000);
  }

  #read(call: Call, answer: Parameters<typeof readAnswer>[0]): unknown {
    const result = (call.read ?? readAnswer)(answer);
    this.#hasAnswered = true;
    this.#justCreated.learn(call, () => (call.read ? tryParse(answer.text) : result));
    return result;
  }
}

/** Errors that were thrown because the call's own time was over, before the 30 s were. */
const early = new WeakSet<NotFoundError>();

/** Whether a 404 is about what was just created, so that the same call may still succeed. */
export function isEarly(error: NotFoundError): boolean {
  return early.has(error);
}

/** Errors of answers that are not the service's, from a host that has given its answers before. */
const stray = new WeakSet<BadResponseError>();

/**
 * Whether an answer is not the service's, but the address is right: a proxy answered this once, such as with a page of its
 * own. `hasLooked`: whether the same request had a good answer before.
 */
export function isStray(error: unknown, hasLooked = false): boolean {
  if (!(error instanceof BadResponseError && error.code === "BAD_RESPONSE")) return false;
  return hasLooked || stray.has(error);
}
