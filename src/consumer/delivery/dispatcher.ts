import { throwIfAborted, unlessAborted } from "../../abort.ts";
import type { CrecError } from "../../errors.ts";
import type { ChannelEvent } from "../../protocol/index.ts";
import { type Clock, yieldToEventLoop } from "../../timing/index.ts";
import type { Checkpointer } from "../cursor/checkpointer.ts";
import type { Cursor } from "../cursor/cursor.ts";
import type { EventConsumerOptions, Limits } from "../options.ts";
import type { PageReader } from "../pages/page-reader.ts";
import { requireSameChannel } from "../schedule/read-session.ts";
import type { Delivery } from "../state.ts";
import { InFlight } from "./in-flight.ts";
import type { PauseGate } from "./pause-gate.ts";
import { PoisonDetector } from "./poison-detector.ts";
import { verifyWhenProofArrives } from "./proof-wait.ts";
import { deliveryFailed, skipped, times } from "./refusal.ts";
import type { Selected, Selection } from "./selection.ts";

type DispatcherOptions = Pick<
  EventConsumerOptions,
  | "source"
  | "prepare"
  | "verify"
  | "untilReady"
  | "deliver"
  | "commit"
  | "onRejected"
  | "ackRejected"
  | "onSuspects"
  | "lease"
> & {
  limits: Limits;
  clock: Clock;
  gate: PauseGate;
  selection: Selection;
  checkpointer: Checkpointer;
  /** Called when the counts, or the cursor, have changed. */
  onProgress: () => void;
  /** Called with errors of events that are in flight. */
  onError: (error: CrecError) => void;
};

/** How long a delivery under way may still finish when the consumer is stopped. */
const STOP_GRACE_MS = 250;
const NEVER = new AbortController().signal;
const YIELD_EVERY = 8;
/** How many events may be settled ahead of the slowest: each of them has to be remembered. */
const MAX_AHEAD = 1_000;

/** Delivers the events of a channel one after another, and notes in the cursor which of them are settled. */
export class Dispatcher {
  /** The events that wait for their acknowledgement. */
  readonly inFlight: InFlight;
  readonly #options: DispatcherOptions;
  readonly #poison: PoisonDetector;
  #cursor: Cursor | undefined;
  #delivered = 0;
  #late = 0;
  #skipped = 0;
  #filtered = 0;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    const { clock, gate, deliver, onRejected, ackRejected = false, onError, limits } = options;
    this.inFlight = new InFlight({
      clock,
      gate,
      limit: limits.inFlight,
      ackTimeoutMs: limits.ackTimeoutMs,
      maxAttempts: limits.maxAttempts,
      deliver,
      onRejected,
      ackRejected,
      settled: (eventId) => this.#settle(eventId),
      failed: onError,
      repeated: options.onProgress,
    });
    const { maxCrashes } = limits;
    this.#poison = new PoisonDetector({ ...options, maxCrashes, inFlight: this.inFlight });
  }

  get counts() {
    const { repeating } = this.inFlight;
    return {
      delivered: this.#delivered,
      late: this.#late,
      waitingForAcks: this.inFlight.size,
      skipped: this.#skipped,
      filtered: this.#filtered,
      ...(repeating === undefined ? {} : { repeating }),
    };
  }

  /** See `EventConsumer`. */
  setWaiting(eventId: string, isWaiting: boolean): Promise<void> | undefined {
    return this.#poison.setWaiting(eventId, isWaiting);
  }

  /** Resets the counts, with nothing in flight. */
  reset(): void {
    this.inFlight.clear();
    this.#delivered = 0;
    this.#late = 0;
    this.#skipped = 0;
    this.#filtered = 0;
  }

  /**
   * Delivers what is new in a page. Returns whether there was something. Throws `DELIVERY_FAILED`,
   * `CHANNEL_REPLACED` and what the store throws.
   */
  async take(
    events: readonly ChannelEvent[],
    { cursor, reader, signal }: { cursor: Cursor; reader: PageReader; signal: AbortSignal },
  ): Promise<boolean> {
    const { checkpointer } = this.#options;
    this.#cursor = cursor;
    requireSameChannel(cursor, events);
    const fresh = cursor.admit(events);
    const outcomes = await this.#select(fresh, cursor, reader, signal);
    const page = fresh
      .filter((_, index) => outcomes[index] === "deliver")
      .map(({ headers: { offset } }) => offset);
    for (const [index, event] of fresh.entries()) {
      const outcome = outcomes[index];
      if (outcome === "deliver") {
        await checkpointer.reserve(cursor, { offset: event.headers.offset, page }, reader.highest);
        await this.#deliver(event, cursor, reader, signal);
      } else this.#passOver(event, outcome);
    }
    return fresh.length > 0;
  }

  async #select(
    events: readonly ChannelEvent[],
    { notBefore }: Cursor,
    { times }: PageReader,
    signal: AbortSignal,
  ): Promise<Selected[]> {
    const { selection, prepare } = this.#options;
    if (events.length > 0) await prepare?.(events, signal);
    return events.map((event) => selection.select(event, { notBefore, times }));
  }

  #passOver({ event_id: eventId }: ChannelEvent, outcome: Selected | undefined): void {
    if (outcome === "too old") this.#skipped += 1;
    if (outcome === "filtered") this.#filtered += 1;
    this.#settle(eventId);
  }

  /** Waits while the in-flight limit is reached. */
  async untilRoom(cursor: Cursor, signal: AbortSignal): Promise<void> {
    const isFull = () => this.inFlight.isFull || (this.inFlight.size > 0 && cursor.ahead >= MAX_AHEAD);
    while (isFull()) await this.inFlight.untilChange(signal);
  }

  async #deliver(
    event: ChannelEvent,
    cursor: Cursor,
    reader: PageReader,
    signal: AbortSignal,
  ): Promise<void> {
    const { source, clock, verify, limits, gate, commit, untilReady, deliver, onProgress } = this.#options;
    const { epoch } = this.#options.lease ?? {};
    await gate.pass(signal);
    // An old event without a proof will not get one.
    const waitMs = reader.times.minAgeMsOf(event) > limits.proofWaitMs ? 0 : limits.proofWaitMs;
    const checked = await verifyWhenProofArrives(event, { source, clock, waitMs, verify }, signal);
    if (checked.event !== event) {
      // What was read with its proof may say something else than what was selected.
      const [outcome] = await this.#select([checked.event], cursor, reader, signal);
      if (outcome !== "deliver") return this.#passOver(event, outcome);
    }
    await this.untilRoom(cursor, signal);
    await this.#poison.untilIsolated(event, cursor, signal);
    if (untilReady !== undefined) await unlessAborted(untilReady(signal), signal);
    await gate.pass(signal);
    throwIfAborted(signal);
    const crashes = await this.#poison.begin(event, cursor, signal);
    const { offset } = event.headers;
    const given = { ...checked, offset, ...cursor.handOver(event), attempt: 1 };
    const delivery: Delivery = epoch === undefined ? given : { ...given, epoch };
    this.#options.checkpointer.handedOver();
    if (delivery.late) this.#late += 1;
    if (limits.maxCrashes > 0 && crashes >= limits.maxCrashes)
      await this.#reject({ ...delivery, crashes }, crashes, signal);
    else if (commit === "on-ack") {
      this.#delivered += 1;
      this.inFlight.add(delivery);
      onProgress();
    } else {
      await this.#send(delivery, deliver, signal);
      this.#delivered += 1;
      this.#settle(event.event_id);
    }
    void this.#poison.endWhenSettled(event.event_id, cursor);
    if (this.#delivered % YIELD_EVERY === 0) await yieldToEventLoop();
  }

  /** Rejects an event that ended the process too often, and skips one that does so even then. */
  async #reject(delivery: Delivery, crashes: number, signal: AbortSignal): Promise<void> {
    const { commit, onRejected, onError, limits } = this.#options;
    const { event_id: eventId } = delivery.event;
    const why = `The process ended ${times(crashes)} while this event was handed over.`;
    if (onRejected === undefined || crashes >= 2 * limits.maxCrashes) {
      onError(skipped(delivery, why, onRejected && "Check what receives rejected events."));
      this.#settle(eventId);
    } else if (commit === "on-ack") this.inFlight.addRejected(delivery, why);
    else {
      await this.#send(delivery, (given) => onRejected(given, why), signal);
      this.#settle(eventId);
    }
  }

  async #send(
    delivery: Delivery,
    take: (delivery: Delivery) => Promise<void> | void,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock } = this.#options;
    const handedOver = (async () => take(delivery))();
    try {
      await unlessAborted(handedOver, signal, () => clock.sleep(STOP_GRACE_MS, NEVER));
    } catch (cause) {
      this.#poison.end();
      throwIfAborted(signal);
      throw deliveryFailed(delivery, cause);
    }
  }

  #settle(eventId: string): void {
    const cursor = this.#cursor;
    if (cursor === undefined) return;
    cursor.settle(eventId);
    this.#options.checkpointer.soon(cursor);
    this.#options.onProgress();
  }
}
