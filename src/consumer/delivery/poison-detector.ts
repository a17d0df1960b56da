import type { ChannelEvent } from "../../protocol/index.ts";
import type { Clock } from "../../timing/index.ts";
import type { Checkpointer } from "../cursor/checkpointer.ts";
import type { Cursor } from "../cursor/cursor.ts";
import type { EventConsumerOptions } from "../options.ts";
import type { InFlight } from "./in-flight.ts";
import { acquireIsolation } from "./isolation-lock.ts";
import { callListener } from "./notifier.ts";
import type { PauseGate } from "./pause-gate.ts";

type PoisonDetectorOptions = Pick<EventConsumerOptions, "onSuspects"> & {
  /** 0: no event is a suspect. */
  maxCrashes: number;
  clock: Clock;
  gate: PauseGate;
  checkpointer: Checkpointer;
  inFlight: InFlight;
};

type Isolated = {
  eventId: string;
  cursor: Cursor;
  release: () => void;
  /** Whether it only waits, so that it is not counted. */
  isWaiting: boolean;
  /** One change after another. */
  changed: Promise<void>;
};

const NEVER = new AbortController().signal;

/**
 * Finds the event that ends the process. After a crash, the events that may have caused it are handed over one at a
 * time, and the store knows which one: when the process ends again, that event has caused it.
 */
export class PoisonDetector {
  readonly #options: PoisonDetectorOptions;
  #isolated: Isolated | undefined;
  /** The cursor whose suspects were reported. */
  #reported: Cursor | undefined;

  constructor(options: PoisonDetectorOptions) {
    this.#options = options;
  }

  /** Waits until an event may be handed over: a suspect when nothing is in flight, others when no suspect is. */
  async untilIsolated(event: ChannelEvent, cursor: Cursor, signal: AbortSignal): Promise<void> {
    const { inFlight } = this.#options;
    const isHeldUp = () =>
      this.#isSuspect(event, cursor)
        ? inFlight.size > 0
        : this.#isolated !== undefined && inFlight.has(this.#isolated.eventId);
    while (isHeldUp()) await inFlight.untilChange(signal);
  }

  /**
   * Call it right before an event is handed over. Returns how often the process ended while it was handed over before.
   * Throws what the store throws, and `ABORTED`.
   */
  async begin(event: ChannelEvent, cursor: Cursor, signal: AbortSignal): Promise<number> {
    const { crashCounts } = cursor;
    const { event_id: eventId } = event;
    if (!this.#isSuspect(event, cursor)) {
      if (crashCounts.needsSave) await this.#store(cursor, signal);
      return 0;
    }
    this.#report(event, cursor);
    const release = await this.#acquire(eventId, cursor, signal);
    this.#isolated = { eventId, cursor, release, isWaiting: false, changed: Promise.resolve() };
    try {
      const crashes = crashCounts.count(eventId);
      await this.#store(cursor, signal);
      return crashes;
    } catch (error) {
      this.end();
      throw error;
    }
  }

  /**
   * Says whether an event in flight only waits: its count of this run is taken back, and given again. Resolves when that
   * is stored, or could not be. Undefined for an event that is not counted.
   */
  setWaiting(eventId: string, isWaiting: boolean): Promise<void> | undefined {
    const isolated = this.#isolated;
    if (isolated?.eventId !== eventId || !this.#isInFlight(isolated)) return undefined;
    // The next save reports what cannot be stored.
    isolated.changed = isolated.changed.then(() => this.#change(isolated, isWaiting)).catch(() => {});
    return isolated.changed;
  }

  async #change(isolated: Isolated, isWaiting: boolean): Promise<void> {
    const { eventId, cursor, release } = isolated;
    if (isolated.isWaiting === isWaiting || !this.#isInFlight(isolated)) return;
    isolated.isWaiting = isWaiting;
    if (isWaiting) {
      await this.#uncount(eventId, cursor).finally(release);
      return;
    }
    isolated.release = await this.#acquire(eventId, cursor, NEVER);
    if (this.#isInFlight(isolated)) {
      cursor.crashCounts.count(eventId);
      await this.#options.checkpointer.now(cursor);
    } else isolated.release();
  }

  #isInFlight(isolated: Isolated): boolean {
    return this.#isolated === isolated && this.#options.inFlight.has(isolated.eventId);
  }

  #acquire(eventId: string, cursor: Cursor, signal: AbortSignal): Promise<() => void> {
    const giveWay = () => this.#uncount(eventId, cursor);
    return acquireIsolation({ clock: this.#options.clock, giveWay }, signal);
  }

  async #uncount(eventId: string, cursor: Cursor): Promise<void> {
    cursor.crashCounts.uncount(eventId);
    await this.#options.checkpointer.now(cursor);
  }

  /**
   * Ends the isolation of an event when it is no longer in flight, and the store knows that: it would be counted as well
   * if the next suspect, of another consumer, ended the process before.
   */
  async endWhenSettled(eventId: string, cursor: Cursor): Promise<void> {
    const { inFlight, checkpointer } = this.#options;
    const isolated = this.#isolated;
    if (isolated?.eventId !== eventId) return;
    while (inFlight.has(eventId)) await inFlight.change;
    // The next save reports what cannot be stored.
    if (cursor.crashCounts.needsSave) await checkpointer.now(cursor).catch(() => {});
    isolated.release();
  }

  /** Ends the present isolation, if there is one. */
  end(): void {
    this.#isolated?.release();
    this.#isolated = undefined;
  }

  /** Meanwhile nothing is in flight that could be settled. */
  async #store(cursor: Cursor, signal: AbortSignal): Promise<void> {
    await this.#options.checkpointer.now(cursor);
    cursor.crashCounts.saved();
    // The consumer may have been paused, or stopped, meanwhile.
    await this.#options.gate.pass(signal);
  }

  #isSuspect(event: ChannelEvent, { crashCounts }: Cursor): boolean {
    return this.#options.maxCrashes > 0 && crashCounts.isSuspect(event);
  }

  #report({ headers: { offset } }: ChannelEvent, cursor: Cursor): void {
    const { suspectUpTo: to } = cursor.crashCounts;
    if (this.#reported === cursor || offset > to) return;
    this.#reported = cursor;
    callListener(() => this.#options.onSuspects?.({ from: offset, to }));
  }
}
