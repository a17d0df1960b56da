import { throwIfAborted } from "../../abort.ts";
import { CrecError } from "../../errors.ts";
import type { ChannelEvent } from "../../protocol/index.ts";
import type { Clock } from "../../timing/index.ts";
import type { Cursor } from "../cursor/cursor.ts";
import { type CursorContext, newCursor, openCursor } from "../cursor/open-cursor.ts";
import type { Notifier } from "../delivery/notifier.ts";
import type { Selection } from "../delivery/selection.ts";
import type { EventConsumerOptions, Limits, StartPosition } from "../options.ts";
import { firstEventMissed } from "../pages/detect-page-order.ts";
import { notKept } from "../pages/gap.ts";
import { PageReader } from "../pages/page-reader.ts";
import { Poller } from "./poller.ts";
import { isTooLarge } from "./read-errors.ts";

type ReadSessionOptions = Pick<EventConsumerOptions, "identity" | "store" | "source" | "start" | "pace"> & {
  clock: Clock;
  limits: Limits;
  selection: Selection;
  notifier: Notifier;
};

/** A cursor, and what reads the channel from there on. */
export type OpenChannel = { cursor: Cursor; poller: Poller; reader: PageReader };

/** Opens the cursor of a consumer and what reads its channel from there, until the consumer stops. */
export class ReadSession {
  readonly #options: ReadSessionOptions;
  #reader: PageReader;
  #open: OpenChannel | undefined;
  /** Whether the channel was seen to reach up to the cursor. */
  #isWithin = false;

  constructor(options: ReadSessionOptions) {
    this.#options = options;
    this.#reader = this.#newReader();
  }

  get channel(): OpenChannel | undefined {
    return this.#open;
  }

  get cursor(): Cursor | undefined {
    return this.#open?.cursor;
  }

  /** How far below the newest known offset the cursor is; undefined while that is not known. */
  get behind(): number | undefined {
    const { highest } = this.#reader;
    const { cursor } = this;
    return highest === undefined || cursor === undefined ? undefined : Math.max(0, highest - cursor.cursor);
  }

  /** The cursor in use; else the stored one, or the start. `acceptsMove`: see there. Throws what `openCursor` throws. */
  async open(signal: AbortSignal, acceptsMove = false): Promise<OpenChannel> {
    const context = { ...this.#context(), acceptsMove };
    this.#open ??= this.#readFrom(await openCursor(context, this.#options.start, signal));
    return this.#open;
  }

  /** Replaces the cursor by one at another position. Throws what the store and the source throw. */
  async seek(position: StartPosition, signal: AbortSignal): Promise<OpenChannel> {
    this.#reader = this.#newReader();
    this.#isWithin = false;
    this.#open = this.#readFrom(await newCursor(this.#context(), { from: "seek", position }, signal));
    return this.#open;
  }

  /** Checks that the channel reaches up to the cursor, unless that is known. Throws as `requireWithinChannel` does. */
  async requireWithin({ cursor }: OpenChannel, signal: AbortSignal, checks?: number): Promise<void> {
    const reader = this.#reader;
    if (this.#isWithin && !reader.takeEndMovedBack()) return;
    this.#isWithin = false;
    await requireWithinChannel({ reader, clock: this.#options.clock }, cursor, signal, checks);
    this.#isWithin = true;
  }

  #readFrom(cursor: Cursor): OpenChannel {
    const { clock, limits } = this.#options;
    const reader = this.#reader;
    return { cursor, reader, poller: new Poller({ cursor, reader, clock, window: limits.late }) };
  }

  #context(): CursorContext {
    const { identity, store, notifier } = this.#options;
    return {
      ...{ identity, store, reader: this.#reader },
      onStart: (start) => notifier.notifyStart(start),
      onRestored: (upTo) => notifier.notifyRestored(upTo),
    };
  }

  #newReader(): PageReader {
    const { source, clock, limits, selection, notifier, pace } = this.#options;
    return new PageReader({
      ...{ source, clock, limit: limits.pageLimit },
      onGap: (gap) => {
        this.cursor?.noteNotKept(gap.to);
        notifier.notifyError(notKept(gap));
      },
      onFirstMissed: (next) => this.#reportFirstMissed(next),
      get type() {
        return pace?.allTypes ? undefined : selection.onlyType;
      },
    });
  }

  /** Unless the event is older than the time from which on events are delivered. */
  #reportFirstMissed(next: ChannelEvent): void {
    const { selection, notifier } = this.#options;
    const { times } = this.#reader;
    const { notBefore } = this.cursor ?? {};
    const outcome = selection.select(next, { notBefore, times });
    if (outcome !== "before start") notifier.notifyError(firstEventMissed());
  }
}

/** An end below the cursor counts when it was seen this often, a second apart: replicas may lag. */
const END_CHECKS = 3;
const END_CHECK_INTERVAL_MS = 1_000;

/**
 * Throws `CURSOR_BEYOND_END` when the channel ends below the cursor in each of so many checks, and `CHANNEL_REPLACED`
 * when its events are not those that were there before.
 */
async function requireWithinChannel(
  { reader, clock }: { reader: PageReader; clock: Clock },
  cursor: Cursor,
  signal: AbortSignal,
  checks = END_CHECKS,
): Promise<void> {
  if (cursor.cursor < 0) return;
  let end = -1;
  for (let check = 1; check <= checks; check += 1) {
    const newest = await reader.newest(signal).catch((error: unknown) => {
      // The channel has an end, even if it cannot be read.
      if (isTooLarge(error)) return undefined;
      throw error;
    });
    if (newest === undefined) return;
    const { events, last } = newest;
    requireSameChannel(cursor, events);
    end = last ?? -1;
    if (cursor.cursor <= end) return;
    if (check < checks) await clock.sleep(END_CHECK_INTERVAL_MS, signal);
    throwIfAborted(signal);
  }
  throw beyondEnd(cursor.cursor, end);
}

/** Throws `CHANNEL_REPLACED` when one of the events is at an offset at which there was another one before. */
export function requireSameChannel(cursor: Cursor, events: readonly ChannelEvent[]): void {
  const offset = cursor.contradiction(events);
  if (offset !== undefined) throw replaced(offset);
}

function beyondEnd(cursor: number, end: number): CrecError {
  return new CrecError(
    "CURSOR_BEYOND_END",
    `The cursor is at offset ${cursor}, but the channel ${end < 0 ? "is empty" : `ends at ${end}`}. It is checked again, and reading resumes when the channel reaches the cursor. If the service lost its data, reset the cursor to choose where to continue.`,
    { retryable: true },
  );
}

function replaced(offset: number): CrecError {
  return new CrecError(
    "CHANNEL_REPLACED",
    `The event at offset ${offset} is not the one that was there before: the channel was replaced. Reset the cursor to choose where to continue.`,
  );
}
