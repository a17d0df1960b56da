import type { ChannelEvent } from "../protocol/index.ts";
import type { Clock } from "./clock.ts";
import type { Cursor } from "./cursor.ts";
import { firstEventMissed } from "./first-event.ts";
import { notKept } from "./gap.ts";
import { Looks } from "./looks.ts";
import type { Notifier } from "./notifier.ts";
import type { EventConsumerOptions, Limits, StartPosition } from "./options.ts";
import { PageReader } from "./pages.ts";
import { beginAt, openCursor, type Place, requireWithin } from "./place.ts";
import type { Selection } from "./selection.ts";

export type ReadingOptions = Pick<EventConsumerOptions, "identity" | "store" | "source" | "start"> & {
  clock: Clock;
  limits: Limits;
  selection: Selection;
  notifier: Notifier;
};

/** The place, what reads on from there, and what that read. */
export type Found = { cursor: Cursor; looks: Looks; reader: PageReader };

/** Finds the place of a consumer in its channel, and has it read from there. */
export class Reading {
  readonly #options: ReadingOptions;
  #reader: PageReader;
  #found: Found | undefined;
  /** Whether the channel was seen to reach up to the cursor. */
  #isWithin = false;

  constructor(options: ReadingOptions) {
    this.#options = options;
    this.#reader = this.#newReader();
  }

  get cursor(): Cursor | undefined {
    return this.#found?.cursor;
  }

  /** How far below the newest known offset the cursor is; undefined while that is not known. */
  get behind(): number | undefined {
    const { highest } = this.#reader;
    const { cursor } = this;
    return highest === undefined || cursor === undefined ? undefined : Math.max(0, highest - cursor.cursor);
  }

  /** The place in use; else the stored one, or the start. Throws what `openCursor` throws. */
  async find(signal: AbortSignal): Promise<Found> {
    this.#found ??= this.#readFrom(await openCursor(this.#place(), this.#options.start, signal));
    return this.#found;
  }

  /** Gives the present place up for another one. Throws what the store and the source throw. */
  async goTo(position: StartPosition, signal: AbortSignal): Promise<Found> {
    this.#reader = this.#newReader();
    this.#isWithin = false;
    this.#found = this.#readFrom(await beginAt(this.#place(), { from: "seek", position }, signal));
    return this.#found;
  }

  /** Looks whether the channel reaches up to the place, where that is not known. Throws as `requireWithin` does. */
  async requireWithin({ cursor }: Found, signal: AbortSignal, looks?: number): Promise<void> {
    if (this.#isWithin && !this.#reader.takeEndMovedBack()) return;
    this.#isWithin = false;
    await requireWithin(this.#place(), cursor, signal, looks);
    this.#isWithin = true;
  }

  #readFrom(cursor: Cursor): Found {
    const { clock, limits } = this.#options;
    const reader = this.#reader;
    return { cursor, reader, looks: new Looks({ cursor, reader, clock, window: limits.late }) };
  }

  #place(): Place {
    const { identity, store, clock, notifier } = this.#options;
    return {
      ...{ identity, store, clock, reader: this.#reader },
      onStart: (start) => notifier.notifyStart(start),
      onRestored: (upTo) => notifier.notifyRestored(upTo),
    };
  }

  #newReader(): PageReader {
    const { source, clock, limits, selection, notifier } = this.#options;
    const { onlyType: type } = selection;
    return new PageReader({
      ...{ source, clock, limit: limits.pageLimit },
      onGap: (gap) => notifier.notifyError(notKept(gap)),
      onFirstMissed: (next) => this.#tellOfFirst(next),
      ...(type === undefined ? {} : { type }),
    });
  }

  /** Unless it lies before the time from which on events are wanted. */
  #tellOfFirst(next: ChannelEvent): void {
    const { selection, notifier } = this.#options;
    const { times } = this.#reader;
    const fate = selection.fateOf(next, { notBefore: this.cursor?.notBefore, times });
    if (fate !== "before the start") notifier.notifyError(firstEventMissed());
  }
}
