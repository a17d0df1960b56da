import { deferred } from "../deferred.ts";
import { ArgumentError, CrecError } from "../errors.ts";
import type { Clock } from "./clock.ts";
import type { Delivery } from "./options.ts";
import type { Pause } from "./pause.ts";
import { snapshotOf } from "./snapshot.ts";

/**
 * What to do with an event that was not done: send it again after a while, or give it to `onRejected`.
 * Without `afterMs` that while is 1 s after the first attempt, twice as long after each further one, at most 60 s.
 */
export type Refusal = { afterMs?: number; reason?: string } | { reject: true; reason?: string };

export type InFlightOptions = {
  clock: Clock;
  /** How many events may wait for their acknowledgement at once. */
  limit: number;
  ackTimeoutMs: number;
  maxAttempts: number;
  deliver: (delivery: Delivery) => Promise<void> | void;
  onRejected: ((delivery: Delivery, why: string) => Promise<void> | void) | undefined;
  /** Whether a rejected event is done only when it is acknowledged. */
  ackRejected: boolean;
  /** The event was acknowledged, or is with the rejected ones: it need not come again. */
  settled: (eventId: string) => void;
  failed: (error: CrecError) => void;
  /** An event is sent again. */
  repeated: () => void;
  /** Nothing is sent again during it. */
  pause: Pause;
};

type Entry = {
  eventId: string;
  offset: number;
  /** The delivery as it was: the flow may change what it was given, and a repetition must not show that. */
  snapshot: () => Delivery;
  attempt: number;
  /** Ends what is arranged to happen next. */
  next: AbortController;
  /** Why it is on its way to the rejected ones, once it is. */
  why?: string;
};

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** Timers take no more. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * The events that were handed over and not acknowledged yet. Sends them again when their time is up, and gives up
 * on them after some attempts. Knows nothing of pages and cursors.
 */
export class InFlight {
  readonly #options: InFlightOptions;
  readonly #entries = new Map<string, Entry>();
  /** Those of them that were sent more than once. */
  readonly #repeated = new Set<Entry>();
  #change = deferred();

  constructor(options: InFlightOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  get isFull(): boolean {
    return this.#entries.size >= this.#options.limit;
  }

  /** The event that was sent most often, once one was sent again. */
  get repeating(): { attempt: number; offset: number } | undefined {
    const [most] = [...this.#repeated].sort((a, b) => b.attempt - a.attempt || a.offset - b.offset);
    return most && { attempt: most.attempt, offset: most.offset };
  }

  has(eventId: string): boolean {
    return this.#entries.has(eventId);
  }

  /** Resolves when the next event leaves. */
  get change(): Promise<void> {
    return this.#change.promise;
  }

  /** Hands an event over for the first time. It may be acknowledged before this returns. */
  add(delivery: Delivery): void {
    this.#send(this.#enter(delivery), delivery);
  }

  #enter(delivery: Delivery): Entry {
    const { event, offset } = delivery;
    const entry: Entry = {
      eventId: event.event_id,
      offset,
      snapshot: snapshotOf(delivery),
      attempt: 1,
      next: new AbortController(),
    };
    this.#entries.set(entry.eventId, entry);
    return entry;
  }

  /** Gives up on an event before it was handed over. */
  addRejected(delivery: Delivery, why: string): void {
    void this.#reject(this.#enter(delivery), why);
  }

  /** Whether it was in flight. */
  ack(eventId: string): boolean {
    const entry = this.#entries.get(eventId);
    if (entry === undefined) return false;
    this.#settle(entry);
    return true;
  }

  /** Whether it was in flight. */
  refuse(eventId: string, refusal: Refusal): boolean {
    const entry = this.#entries.get(eventId);
    if (entry === undefined) return false;
    if (entry.why !== undefined) return true;
    if ("reject" in refusal) {
      void this.#reject(entry, refusal.reason ?? "It was refused.");
      return true;
    }
    const { afterMs = pauseAfter(entry.attempt), reason } = refusal;
    if (!(afterMs >= 0)) throw invalidDelay();
    if (entry.attempt >= this.#options.maxAttempts) void this.#reject(entry, refusedTooOften(entry, reason));
    else this.#arrange(entry, afterMs, () => this.#repeat(entry));
    return true;
  }

  /** Forgets all of them: they count as not acknowledged. */
  clear(): void {
    for (const { next } of this.#entries.values()) next.abort();
    this.#entries.clear();
    this.#repeated.clear();
    this.#tellOfChange();
  }

  #send(entry: Entry, delivery: Delivery): void {
    const { ackTimeoutMs, deliver, failed } = this.#options;
    this.#arrange(entry, ackTimeoutMs, () => this.#repeat(entry));
    const { next } = entry;
    (async () => deliver(delivery))().catch((cause) => {
      if (next.signal.aborted) return;
      failed(deliveryFailed(delivery, cause));
      this.#arrange(entry, pauseAfter(entry.attempt), () => this.#repeat(entry));
    });
  }

  /** The time has come to send it again, or to give up on it. */
  #repeat(entry: Entry): void {
    this.#unlessPaused(entry, () => {
      if (entry.attempt < this.#options.maxAttempts) {
        entry.attempt += 1;
        this.#repeated.add(entry);
        this.#options.repeated();
        this.#send(entry, this.#copyOf(entry));
      } else void this.#reject(entry, notAcknowledged(entry, this.#options.ackTimeoutMs));
    });
  }

  /** At once, or when the pause is over, unless something else has become of the event by then. */
  #unlessPaused(entry: Entry, then: () => void): void {
    const paused = this.#options.pause.over;
    const { signal } = entry.next;
    if (paused === undefined) then();
    else void paused.then(() => signal.aborted || this.#unlessPaused(entry, then));
  }

  /**
   * The event is done with when those who take rejected ones have it, or have acknowledged it where that is waited
   * for; until then they are asked again.
   */
  async #reject(entry: Entry, why: string, tries = 1): Promise<void> {
    const { onRejected, ackRejected, ackTimeoutMs, failed } = this.#options;
    entry.why = why;
    entry.next.abort();
    const next = new AbortController();
    entry.next = next;
    try {
      if (onRejected === undefined) failed(passedOver(entry, why));
      else await onRejected(this.#copyOf(entry), why);
      // It may have been acknowledged meanwhile.
      if (next.signal.aborted) return;
      if (ackRejected && onRejected !== undefined)
        this.#arrange(entry, ackTimeoutMs, () => this.#unlessPaused(entry, () => this.#reject(entry, why)));
      else this.#settle(entry);
    } catch (cause) {
      if (next.signal.aborted) return;
      failed(deliveryFailed(entry, cause));
      this.#arrange(entry, pauseAfter(tries), () => void this.#reject(entry, why, tries + 1));
    }
  }

  #copyOf({ snapshot, attempt }: Entry): Delivery {
    const delivery = snapshot();
    return { ...delivery, attempt, redelivered: delivery.redelivered || attempt > 1 };
  }

  #settle(entry: Entry): void {
    entry.next.abort();
    this.#entries.delete(entry.eventId);
    this.#repeated.delete(entry);
    this.#options.settled(entry.eventId);
    this.#tellOfChange();
  }

  #arrange(entry: Entry, ms: number, then: () => void): void {
    entry.next.abort();
    entry.next = new AbortController();
    const { signal } = entry.next;
    void this.#options.clock
      .sleep(Math.min(ms, LONGEST_TIMER_MS), signal)
      .then(() => signal.aborted || then());
  }

  #tellOfChange(): void {
    this.#change.resolve();
    this.#change = deferred();
  }
}

function pauseAfter(tries: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1));
}

function notAcknowledged({ attempt }: Entry, ackTimeoutMs: number): string {
  return `It was sent ${times(attempt)} and not acknowledged within ${ackTimeoutMs / 1000} s.`;
}

function refusedTooOften({ attempt }: Entry, reason: string | undefined): string {
  return `It was sent ${times(attempt)} and refused${reason === undefined ? "." : `, at last because: ${reason}`}`;
}

export function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

function invalidDelay(): ArgumentError {
  return new ArgumentError("afterMs", "The delay must be a number of milliseconds, 0 or more.");
}

export function deliveryFailed({ offset }: { offset: number }, cause: unknown): CrecError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new CrecError(
    "DELIVERY_FAILED",
    `The event at offset ${offset} could not be handed over: ${message}. It is tried again.`,
    { cause, retryable: true },
  );
}

/** Nobody takes it, unless something else has to be done. */
export function passedOver(
  { offset }: { offset: number },
  why: string,
  todo = "Give onRejected to take such events.",
): CrecError {
  return new CrecError("EVENT_REJECTED", `The event at offset ${offset} is passed over. ${why} ${todo}`);
}
