import type { ChannelEvent } from "../protocol/index.ts";
import type { Checkpointer } from "./checkpointer.ts";
import { type Clock, unlessAborted } from "./clock.ts";
import type { Cursor } from "./cursor.ts";
import type { InFlight } from "./in-flight.ts";
import type { EventConsumerOptions } from "./options.ts";
import type { Pause } from "./pause.ts";
import { quietly } from "./quietly.ts";
import { takeTurn } from "./turn.ts";

export type TrialsOptions = Pick<EventConsumerOptions, "onSuspects"> & {
  /** 0: no event is a suspect. */
  maxCrashes: number;
  clock: Clock;
  pause: Pause;
  checkpointer: Checkpointer;
  inFlight: InFlight;
};

/**
 * After an end that was no orderly one, hands over one by one what may have caused it, and stores each time which
 * one it is: when the process ends again, it was that one.
 */
export class Trials {
  readonly #options: TrialsOptions;
  #present: { eventId: string; end: () => void } | undefined;
  /** The place whose suspects were told of. */
  #toldOf: Cursor | undefined;

  constructor(options: TrialsOptions) {
    this.#options = options;
  }

  /** Waits until an event may be handed over: a suspect when nothing is in flight, others when no suspect is. */
  async untilAlone(event: ChannelEvent, cursor: Cursor, signal: AbortSignal): Promise<void> {
    const { inFlight } = this.#options;
    const isHeldUp = () =>
      this.#isSuspect(event, cursor)
        ? inFlight.size > 0
        : this.#present !== undefined && inFlight.has(this.#present.eventId);
    while (isHeldUp()) await unlessAborted(inFlight.change, signal);
  }

  /**
   * To be called right before an event is handed over. Tells how often the process ended while it was handed over
   * before. Throws what the store throws, and `ABORTED`.
   */
  async begin(event: ChannelEvent, cursor: Cursor, signal: AbortSignal): Promise<number> {
    const { clock, checkpointer } = this.#options;
    const { starts } = cursor;
    const { event_id: eventId } = event;
    if (!this.#isSuspect(event, cursor)) {
      if (starts.isNews) await this.#store(cursor, signal);
      return 0;
    }
    this.#tell(event, cursor);
    const giveWay = async () => {
      starts.acquit(eventId);
      await checkpointer.now(cursor);
    };
    this.#present = { eventId, end: await takeTurn({ clock, giveWay }, signal) };
    try {
      const crashes = starts.begin(eventId);
      await this.#store(cursor, signal);
      return crashes;
    } catch (error) {
      this.end();
      throw error;
    }
  }

  /** Ends the trial when the event is no longer in flight. */
  async follow(eventId: string): Promise<void> {
    const { inFlight } = this.#options;
    const present = this.#present;
    if (present?.eventId !== eventId) return;
    while (inFlight.has(eventId)) await inFlight.change;
    present.end();
  }

  /** Ends the trial that is on, if one is. */
  end(): void {
    this.#present?.end();
    this.#present = undefined;
  }

  /** Nothing is in flight meanwhile that could be settled. */
  async #store(cursor: Cursor, signal: AbortSignal): Promise<void> {
    await this.#options.checkpointer.now(cursor);
    cursor.starts.stored();
    // It may have been paused, or stopped, by then.
    await this.#options.pause.passed(signal);
  }

  #isSuspect(event: ChannelEvent, { starts }: Cursor): boolean {
    return this.#options.maxCrashes > 0 && starts.isSuspect(event);
  }

  #tell({ headers: { offset } }: ChannelEvent, cursor: Cursor): void {
    const { suspectUpTo: to } = cursor.starts;
    if (this.#toldOf === cursor || offset > to) return;
    this.#toldOf = cursor;
    quietly(() => this.#options.onSuspects?.({ from: offset, to }));
  }
}
