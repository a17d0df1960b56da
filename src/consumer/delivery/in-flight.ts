import { unlessAborted } from "../../abort.ts";
import { deferred } from "../../deferred.ts";
import type { CrecError } from "../../errors.ts";
import type { Clock } from "../../timing/index.ts";
import { snapshotOf } from "../cursor/snapshot.ts";
import type { Delivery, Repeating } from "../state.ts";
import type { PauseGate } from "./pause-gate.ts";
import { deliveryFailed, type Refusal, redeliveryMs, skipped, times } from "./refusal.ts";

type InFlightOptions = {
  clock: Clock;
  /** How many events may wait for their acknowledgement at the same time. */
  limit: number;
  ackTimeoutMs: number;
  maxAttempts: number;
  deliver: (delivery: Delivery) => Promise<void> | void;
  onRejected: ((delivery: Delivery, why: string) => Promise<void> | void) | undefined;
  /** Whether a rejected event is settled only when it is acknowledged. */
  ackRejected: boolean;
  /** Called when an event was acknowledged or rejected: it is not sent again. */
  settled: (eventId: string) => void;
  /** Called with an error of `deliver` or `onRejected`. */
  failed: (error: CrecError) => void;
  /** Called when an event is sent again. */
  repeated: () => void;
  /** Nothing is sent again while it is closed. */
  gate: PauseGate;
};

/** An event that waits for its acknowledgement. `since`: when it was first handed over, in Unix milliseconds. */
export type InFlightEvent = { eventId: string; offset: number; since: number };

type Entry = InFlightEvent & {
  /** The delivery as it was: its receiver may change it, and a later attempt must not show that. */
  snapshot: () => Delivery;
  attempt: number;
  /** It was sent again without a further attempt. */
  wasInterrupted: boolean;
  /** Cancels what is scheduled next. */
  next: AbortController;
  /** Of the last refusal. */
  reason?: string | undefined;
  /** Why it is rejected, once it is. */
  why?: string;
};

/**
 * The events that were handed over and are not acknowledged yet. Sends them again after the ack timeout, and rejects
 * them after the last attempt. Independent of pages and cursors.
 */
export class InFlight {
  readonly #options: InFlightOptions;
  readonly #entries = new Map<string, Entry>();
  /** Those that were sent more than once. */
  readonly #repeated = new Set<Entry>();
  #change = deferred();
  #waiting = 0;

  constructor(options: InFlightOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** In the order in which they were handed over. */
  get events(): InFlightEvent[] {
    return [...this.#entries.values()].map(({ eventId, offset, since }) => ({ eventId, offset, since }));
  }

  get isFull(): boolean {
    return this.#entries.size >= this.#options.limit;
  }

  /** The event with the most attempts, once one was sent again. */
  get repeating(): Repeating | undefined {
    const [most] = [...this.#repeated].sort((a, b) => b.attempt - a.attempt || a.offset - b.offset);
    if (most === undefined) return undefined;
    const { attempt, offset, reason } = most;
    return { attempt, offset, ...(reason === undefined ? {} : { reason }) };
  }

  has(eventId: string): boolean {
    return this.#entries.has(eventId);
  }

  /** Resolves when the next event is settled. */
  get change(): Promise<void> {
    return this.#change.promise;
  }

  /** Whether nothing more is handed over until an event is settled. */
  get isHeldUp(): boolean {
    return this.#waiting > 0;
  }

  /** Waits until an event is settled, because nothing more may be handed over. Throws `ABORTED` when the signal fires. */
  untilChange(signal: AbortSignal): Promise<void> {
    const wait = unlessAborted(this.change, signal);
    const over = () => {
      this.#waiting -= 1;
    };
    this.#waiting += 1;
    void wait.then(over, over);
    return wait;
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
      since: this.#options.clock.now(),
      snapshot: snapshotOf(delivery),
      attempt: 1,
      wasInterrupted: false,
      next: new AbortController(),
    };
    this.#entries.set(entry.eventId, entry);
    return entry;
  }

  /** Rejects an event before it was handed over. */
  addRejected(delivery: Delivery, why: string): void {
    void this.#reject(this.#enter(delivery), why);
  }

  /** Returns whether it was in flight. */
  ack(eventId: string): boolean {
    const entry = this.#entries.get(eventId);
    if (entry === undefined) return false;
    this.#settle(entry);
    return true;
  }

  /** Returns whether it was in flight. */
  refuse(eventId: string, refusal: Refusal): boolean {
    const entry = this.#entries.get(eventId);
    if (entry === undefined) return false;
    if (entry.why !== undefined) return true;
    if ("reject" in refusal) {
      void this.#reject(entry, refusal.reason ?? "It was refused.");
      return true;
    }
    const { afterMs = redeliveryMs(entry.attempt), reason } = refusal;
    entry.reason = reason;
    if (entry.attempt >= this.#options.maxAttempts) void this.#reject(entry, refusedTooOften(entry, reason));
    else this.#schedule(entry, afterMs, () => this.#repeat(entry));
    return true;
  }

  /** Returns whether it was in flight. */
  resend(eventId: string): boolean {
    const entry = this.#entries.get(eventId);
    if (entry === undefined) return false;
    const { why } = entry;
    entry.wasInterrupted = true;
    this.#whenOpen(entry, () => {
      this.#options.repeated();
      if (why === undefined) this.#send(entry, this.#copyOf(entry));
      else void this.#reject(entry, why);
    });
    return true;
  }

  /** Forgets all events: they count as not acknowledged. */
  clear(): void {
    for (const { next } of this.#entries.values()) next.abort();
    this.#entries.clear();
    this.#repeated.clear();
    this.#notifyChange();
  }

  #send(entry: Entry, delivery: Delivery): void {
    const { ackTimeoutMs, deliver, failed } = this.#options;
    this.#schedule(entry, ackTimeoutMs, () => this.#repeat(entry));
    const { next } = entry;
    (async () => deliver(delivery))().catch((cause) => {
      if (next.signal.aborted) return;
      failed(deliveryFailed(delivery, cause));
      this.#schedule(entry, redeliveryMs(entry.attempt), () => this.#repeat(entry));
    });
  }

  /** Sends it again, or rejects it after the last attempt. */
  #repeat(entry: Entry): void {
    this.#whenOpen(entry, () => {
      if (entry.attempt < this.#options.maxAttempts) {
        entry.attempt += 1;
        this.#repeated.add(entry);
        this.#options.repeated();
        this.#send(entry, this.#copyOf(entry));
      } else void this.#reject(entry, notAcknowledged(entry, this.#options.ackTimeoutMs));
    });
  }

  /** Immediately, or after the pause, unless the event was settled or scheduled again by then. */
  #whenOpen(entry: Entry, then: () => void): void {
    const { opened } = this.#options.gate;
    const { signal } = entry.next;
    if (opened === undefined) then();
    else void opened.then(() => signal.aborted || this.#whenOpen(entry, then));
  }

  /**
   * The event is settled when `onRejected` has resolved, or, with `ackRejected`, when it is acknowledged. Until then
   * `onRejected` is called again.
   */
  async #reject(entry: Entry, why: string, tries = 1): Promise<void> {
    const { onRejected, ackRejected, ackTimeoutMs, failed, gate } = this.#options;
    entry.why = why;
    entry.next.abort();
    const next = new AbortController();
    entry.next = next;
    try {
      for (let { sure } = gate; sure !== undefined; { sure } = gate) await sure;
      if (next.signal.aborted) return;
      if (onRejected === undefined) failed(skipped(entry, why));
      else await onRejected(this.#copyOf(entry), why);
      // It may have been acknowledged meanwhile.
      if (next.signal.aborted) return;
      if (ackRejected && onRejected !== undefined)
        this.#schedule(entry, ackTimeoutMs, () => this.#whenOpen(entry, () => this.#reject(entry, why)));
      else this.#settle(entry);
    } catch (cause) {
      if (next.signal.aborted) return;
      failed(deliveryFailed(entry, cause));
      this.#schedule(entry, redeliveryMs(tries), () => void this.#reject(entry, why, tries + 1));
    }
  }

  #copyOf({ snapshot, attempt, wasInterrupted }: Entry): Delivery {
    const delivery = snapshot();
    return { ...delivery, attempt, redelivered: delivery.redelivered || attempt > 1 || wasInterrupted };
  }

  #settle(entry: Entry): void {
    entry.next.abort();
    this.#entries.delete(entry.eventId);
    this.#repeated.delete(entry);
    this.#options.settled(entry.eventId);
    this.#notifyChange();
  }

  #schedule(entry: Entry, ms: number, then: () => void): void {
    if (ms === Number.POSITIVE_INFINITY) return;
    entry.next.abort();
    entry.next = new AbortController();
    const { signal } = entry.next;
    void this.#options.clock.sleep(ms, signal).then(() => signal.aborted || then());
  }

  #notifyChange(): void {
    this.#change.resolve();
    this.#change = deferred();
  }
}

function notAcknowledged({ attempt }: Entry, ackTimeoutMs: number): string {
  return `It was sent ${times(attempt)} and not acknowledged within ${ackTimeoutMs / 1000} s.`;
}

function refusedTooOften({ attempt }: Entry, reason: string | undefined): string {
  return `It was sent ${times(attempt)} and refused${reason === undefined ? "." : `, the last time because: ${reason}`}`;
}
