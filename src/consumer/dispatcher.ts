import { setImmediate as nextTurn } from "node:timers/promises";
import type { CrecError } from "../errors.ts";
import type { ChannelEvent } from "../protocol/index.ts";
import type { Checkpointer } from "./checkpointer.ts";
import { type Clock, throwIfAborted, unlessAborted } from "./clock.ts";
import type { Cursor } from "./cursor.ts";
import { deliveryFailed, InFlight, passedOver, times } from "./in-flight.ts";
import type { Delivery, EventConsumerOptions, Limits } from "./options.ts";
import type { PageReader } from "./pages.ts";
import type { Pause } from "./pause.ts";
import { requireSame } from "./place.ts";
import { judgeWithPatience } from "./proof-wait.ts";
import type { Selection } from "./selection.ts";
import { Trials } from "./trials.ts";

export type DispatcherOptions = Pick<
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
> & {
  limits: Limits;
  clock: Clock;
  pause: Pause;
  selection: Selection;
  checkpointer: Checkpointer;
  /** Called when the counts, or the cursor, are other than before. */
  onProgress: () => void;
  /** Told of what goes wrong with an event that is in flight. */
  onError: (error: CrecError) => void;
};

/** How long a delivery under way may still finish when the consumer is stopped. */
const STOP_GRACE_MS = 250;
const NEVER = new AbortController().signal;
const YIELD_EVERY = 8;
/** So many events may be done ahead of the slowest that is not: each of them has to be remembered. */
const MAX_AHEAD = 1_000;

/** Brings the events of a channel to the flow, one after another, and notes in the cursor which of them are done. */
export class Dispatcher {
  /** What was handed over and waits for its acknowledgement. */
  readonly inFlight: InFlight;
  readonly #options: DispatcherOptions;
  readonly #trials: Trials;
  #cursor: Cursor | undefined;
  #delivered = 0;
  #late = 0;
  #skipped = 0;
  #filtered = 0;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    const { clock, pause, deliver, onRejected, ackRejected = false, onError, limits } = options;
    this.inFlight = new InFlight({
      clock,
      pause,
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
    this.#trials = new Trials({ ...options, maxCrashes, inFlight: this.inFlight });
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

  /** Starts counting anew, with nothing in flight. */
  reset(): void {
    this.inFlight.clear();
    this.#delivered = 0;
    this.#late = 0;
    this.#skipped = 0;
    this.#filtered = 0;
  }

  /**
   * Hands over what is new in a page. Tells whether there was something. Throws `DELIVERY_FAILED`,
   * `CHANNEL_REPLACED` and what the store throws.
   */
  async take(
    events: readonly ChannelEvent[],
    { cursor, reader, signal }: { cursor: Cursor; reader: PageReader; signal: AbortSignal },
  ): Promise<boolean> {
    const { selection, checkpointer, prepare } = this.#options;
    this.#cursor = cursor;
    requireSame(cursor, events);
    const fresh = cursor.admit(events);
    if (fresh.length > 0) await prepare?.(fresh, signal);
    const { notBefore } = cursor;
    const fates = fresh.map((event) => selection.fateOf(event, { notBefore, times: reader.times }));
    const last = fresh[fates.lastIndexOf("wanted")];
    if (last !== undefined) await checkpointer.reserve(cursor, last.headers.offset, reader.highest);
    for (const [index, event] of fresh.entries()) {
      if (fates[index] === "too old") this.#skipped += 1;
      if (fates[index] === "unwanted") this.#filtered += 1;
      if (fates[index] === "wanted") await this.#deliver(event, cursor, reader, signal);
      else this.#settle(event.event_id);
    }
    return fresh.length > 0;
  }

  /** Waits while as many events are in flight as may be. */
  async untilRoom(cursor: Cursor, signal: AbortSignal): Promise<void> {
    const isFull = () => this.inFlight.isFull || (this.inFlight.size > 0 && cursor.ahead >= MAX_AHEAD);
    while (isFull()) await unlessAborted(this.inFlight.change, signal);
  }

  async #deliver(
    event: ChannelEvent,
    cursor: Cursor,
    reader: PageReader,
    signal: AbortSignal,
  ): Promise<void> {
    const { source, clock, verify, limits, pause, commit, untilReady, deliver, onProgress } = this.#options;
    await pause.passed(signal);
    // An old event that has no proof by now will not get one.
    const waitMs = reader.times.sureAgeMsOf(event) > limits.proofWaitMs ? 0 : limits.proofWaitMs;
    const judged = await judgeWithPatience(event, { source, clock, waitMs, verify }, signal);
    await this.untilRoom(cursor, signal);
    await this.#trials.untilAlone(event, cursor, signal);
    if (untilReady !== undefined) await unlessAborted(untilReady(signal), signal);
    await pause.passed(signal);
    throwIfAborted(signal);
    const crashes = await this.#trials.begin(event, cursor, signal);
    const { offset } = event.headers;
    const delivery = { ...judged, offset, ...cursor.handOver(event), attempt: 1 };
    if (delivery.late) this.#late += 1;
    if (limits.maxCrashes > 0 && crashes >= limits.maxCrashes)
      await this.#giveUp({ ...delivery, crashes }, crashes, signal);
    else if (commit === "on-ack") {
      this.#delivered += 1;
      this.inFlight.add(delivery);
      onProgress();
    } else {
      await this.#send(delivery, deliver, signal);
      this.#delivered += 1;
      this.#settle(event.event_id);
    }
    void this.#trials.follow(event.event_id);
    if (this.#delivered % YIELD_EVERY === 0) await nextTurn();
  }

  /** Gives up on an event that ended the process too often, and passes over one that does so even then. */
  async #giveUp(delivery: Delivery, crashes: number, signal: AbortSignal): Promise<void> {
    const { commit, onRejected, onError, limits } = this.#options;
    const { event_id: eventId } = delivery.event;
    const why = `The process ended ${times(crashes)} while this event was handed over.`;
    if (onRejected === undefined || crashes >= 2 * limits.maxCrashes) {
      onError(
        passedOver(delivery, why, onRejected && "Look at what it does to those who take rejected events."),
      );
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
      this.#trials.end();
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
