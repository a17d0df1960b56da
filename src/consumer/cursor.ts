import { type ChannelEvent, canonicalId, idOfUnnamed } from "../protocol/index.ts";
import type { CursorIdentity, CursorState } from "./cursor-state.ts";
import type { SeenMark } from "./first-seen.ts";
import { Starts } from "./starts.ts";

/** So many are remembered even below the floor: the service may give an event again at a higher offset. */
const MIN_REMEMBERED = 200;
/** What came longer ago than so many events is not looked for, however short the time was. */
const MAX_REMEMBERED = 50_000;
/** When there are more, so many are forgotten at once. */
const FORGET_AT_ONCE = 10_000;

type Pending = {
  offset: number;
  eventId: string;
  done: boolean;
  handedOver: boolean;
  /** The highest offset at which the event was seen. */
  highest: number;
  /** It was first seen below one that had been handed over. */
  late: boolean;
};

/**
 * The bookkeeping of a consumer: which events are new, which are being worked on, how far everything is done.
 * Events may be settled in any order. Knows no clock, no store and no service.
 */
export class Cursor {
  readonly identity: CursorIdentity;
  readonly notBefore: number | undefined;
  /** Up to here, an event may have been delivered before the place was put there from elsewhere. */
  readonly #restoredUpTo: number;
  /** What is known of events that may have ended the process. */
  readonly starts: Starts;
  /** When offsets were first seen; stored with the rest. */
  seen: readonly SeenMark[];
  #cursor: number;
  #floor: number;
  /** Up to here everything was admitted, and what of it is not settled is being worked on. */
  #readUpTo: number;
  /** The highest offset that was handed over in this run. */
  #top = -1;
  #handedOut: number;
  #reserved: number;
  /** The highest offset really handed over, in this run or before it. */
  #touched: number;
  /** Up to here, an event may be a repetition. */
  #doubtful: number;
  readonly #delivered: Map<string, number>;
  #forgetAt = MAX_REMEMBERED;
  /** Admitted and at or above the first that is not settled; ascending. */
  #queue: Pending[] = [];
  readonly #pending = new Map<string, Pending>();

  constructor(state: CursorState) {
    this.identity = state.identity;
    this.notBefore = state.notBefore;
    this.starts = new Starts(state);
    this.#restoredUpTo = state.restoredUpTo ?? -1;
    this.#cursor = state.cursor;
    this.#floor = state.floor;
    this.#readUpTo = state.cursor;
    this.seen = state.seen ?? [];
    this.#handedOut = state.handedOut;
    this.#reserved = state.handedOut;
    this.#touched = state.handedOut;
    this.#doubtful = state.handedOut;
    this.#delivered = new Map(state.delivered.map(([offset, eventId]) => [canonicalId(eventId), offset]));
  }

  get cursor(): number {
    return this.#cursor;
  }

  get floor(): number {
    return this.#floor;
  }

  /** Up to here the store knows that events may have been handed over. */
  get reserved(): number {
    return this.#reserved;
  }

  /** Where to read on: everything that was visible at or below was admitted. */
  get readUpTo(): number {
    return this.#readUpTo;
  }

  /** The highest offset at which an event is known to be, of what was read; undefined where none is known. */
  get landmark(): number | undefined {
    let highest = -1;
    for (const offset of this.#known()) if (offset <= this.#readUpTo) highest = Math.max(highest, offset);
    return highest < 0 ? undefined : highest;
  }

  /** How many delivered events it knows. */
  get remembered(): number {
    return this.#delivered.size;
  }

  /** Notes that everything that is visible up to an offset was admitted. */
  noteRead(upTo: number): void {
    this.#readUpTo = Math.max(this.#readUpTo, upTo);
  }

  /** How many events are done ahead of the first that is not. */
  get ahead(): number {
    return this.#queue.length - this.#pending.size;
  }

  /** The lowest offset above the given one that an event is known to be at. */
  lowestAbove(offset: number): number {
    let lowest = Number.POSITIVE_INFINITY;
    for (const at of this.#known()) if (at > offset) lowest = Math.min(lowest, at);
    return lowest;
  }

  /** The lowest offset of the newest events, as many as given; -1 when there are fewer. */
  newest(count: number): number {
    if (count === 0) return Number.POSITIVE_INFINITY;
    if (this.#delivered.size < count) return -1;
    return [...this.#delivered.values()].sort((a, b) => b - a)[count - 1] ?? -1;
  }

  /** Takes a page, ascending, and gives back what of it is new. Each of these must be settled or released. */
  admit(events: readonly ChannelEvent[]): ChannelEvent[] {
    const passed = Math.max(this.#cursor, this.#top);
    return events.filter((event) => {
      const { event_id: eventId, headers } = event;
      const { offset } = headers;
      if (offset <= this.#floor) return false;
      const known = this.#knownAs(event);
      if (known !== undefined) {
        this.#seeAgain(known, offset);
        return false;
      }
      const late = offset < passed;
      this.#enqueue({ offset, eventId, done: false, handedOver: false, highest: offset, late });
      return true;
    });
  }

  /**
   * The first offset at which another event was seen before: the channel is not the one it was. Not where both are
   * there now. Events that are missing say nothing: a service may keep only the newest.
   */
  contradiction(events: readonly ChannelEvent[]): number | undefined {
    const known = Math.max(this.#cursor, this.#queue.at(-1)?.offset ?? -1);
    const unknown = events.filter(
      (event) => event.headers.offset <= known && this.#knownAs(event) === undefined,
    );
    if (unknown.length === 0) return undefined;
    const ids = new Set(events.map(({ event_id }) => event_id));
    const before = [
      ...this.#delivered,
      ...this.#queue.map(({ eventId, offset }) => [eventId, offset] as const),
    ];
    const gone = new Set(before.filter(([id]) => !ids.has(id)).map(([, offset]) => offset));
    return unknown.find(({ headers }) => gone.has(headers.offset))?.headers.offset;
  }

  /** Notes that events up to this offset are about to be handed over. Store the state, then confirm it. */
  reserve(upTo: number): void {
    this.#handedOut = Math.max(this.#handedOut, upTo);
  }

  /** A state that was taken since `reserve(upTo)` is stored: events up to there may be handed over. */
  confirm(upTo: number): void {
    this.#reserved = Math.max(this.#reserved, upTo);
  }

  /** Notes that an event is now handed over. Tells whether it may have been before, and whether it came late. */
  handOver({ event_id: eventId, headers: { offset } }: ChannelEvent) {
    const entry = this.#pending.get(eventId);
    if (entry !== undefined) entry.handedOver = true;
    this.#touched = Math.max(this.#touched, offset);
    this.#top = Math.max(this.#top, offset);
    return {
      redelivered: offset <= this.#doubtful,
      late: entry?.late ?? false,
      restored: offset <= this.#restoredUpTo,
    };
  }

  /** An admitted event was delivered, or is not wanted. */
  settle(eventId: string): void {
    const entry = this.#pending.get(eventId);
    if (entry === undefined) return;
    entry.done = true;
    this.#pending.delete(eventId);
    this.#delivered.set(eventId, entry.highest);
    this.starts.settled(eventId);
    this.#advance();
    this.#forgetOldest();
  }

  /** Nothing at or below `offset` is looked for any more: what is settled need not be remembered. */
  finalize(offset: number): void {
    this.#raiseFloor(offset);
    if (this.#delivered.size <= MIN_REMEMBERED) return;
    const passed = [...this.#delivered].filter(([, at]) => at <= this.#floor).sort(([, a], [, b]) => a - b);
    const excess = Math.max(0, this.#delivered.size - MIN_REMEMBERED);
    for (const [eventId] of passed.slice(0, excess)) this.#delivered.delete(eventId);
  }

  /**
   * Gives up what is not settled, but for events that others still work on: it will be admitted again, and counts
   * as redelivered if it was handed over.
   */
  release(isKept: (eventId: string) => boolean = () => false): void {
    const released = this.#queue.filter(({ eventId, done }) => !done && !isKept(eventId));
    for (const { eventId } of released) this.#pending.delete(eventId);
    if (released.some(({ handedOver }) => handedOver))
      this.#doubtful = Math.max(this.#doubtful, this.#touched);
    // From there on all has to be found again, else the cursor would go over what was given up.
    const first = released[0]?.offset ?? Number.POSITIVE_INFINITY;
    this.#queue = this.#queue.filter(({ eventId, offset, done }) =>
      done ? offset < first : this.#pending.has(eventId),
    );
    this.#readUpTo = Math.min(this.#readUpTo, first - 1);
    this.#advance();
  }

  /** What to store. `exact` takes back what was reserved and never handed over: for an orderly end. */
  snapshot({ exact = false } = {}): CursorState {
    return {
      version: 1,
      identity: this.identity,
      cursor: this.#cursor,
      floor: this.#floor,
      handedOut: exact ? this.#touched : this.#handedOut,
      delivered: [...this.#delivered].map(([eventId, offset]) => [offset, eventId]),
      ...(this.seen.length === 0 ? {} : { seen: [...this.seen] }),
      ...this.starts.snapshot({ exact }),
      ...(this.#restoredUpTo > this.#cursor ? { restoredUpTo: this.#restoredUpTo } : {}),
      ...(this.notBefore === undefined ? {} : { notBefore: this.notBefore }),
    };
  }

  /** The id under which an event is known, if it is. One whose id shows on some pages only is the same event. */
  #knownAs({ event_id: eventId, headers: { offset } }: ChannelEvent): string | undefined {
    const isKnown = (id: string) => this.#pending.has(id) || this.#delivered.has(id);
    if (isKnown(eventId)) return eventId;
    const unnamed = idOfUnnamed(offset);
    if (eventId !== unnamed) return isKnown(unnamed) ? unnamed : undefined;
    for (const [id, at] of this.#delivered) if (at === offset) return id;
    return this.#queue.find((entry) => entry.offset === offset)?.eventId;
  }

  *#known(): Generator<number> {
    yield* this.#delivered.values();
    for (const { offset } of this.#queue) yield offset;
  }

  /**
   * The same event at another offset is nothing new. But the cursor has to get past it, and it is remembered for
   * as long as it may be found at its highest offset.
   */
  #seeAgain(eventId: string, offset: number): void {
    const pending = this.#pending.get(eventId);
    if (pending !== undefined) pending.highest = Math.max(pending.highest, offset);
    else this.#delivered.set(eventId, Math.max(this.#delivered.get(eventId) ?? offset, offset));
    const isPassed =
      offset <= this.#cursor ||
      this.#queue.some((entry) => entry.eventId === eventId && entry.offset === offset);
    if (isPassed) return;
    this.#enqueue({ offset, eventId, done: true, handedOver: false, highest: offset, late: false });
  }

  #enqueue(entry: Pending): void {
    const after = this.#queue.findLastIndex(({ offset }) => offset <= entry.offset);
    this.#queue.splice(after + 1, 0, entry);
    if (entry.done) this.#advance();
    else this.#pending.set(entry.eventId, entry);
  }

  #advance(): void {
    const open = this.#queue.findIndex(({ done }) => !done);
    const settled = this.#queue.splice(0, open === -1 ? this.#queue.length : open);
    this.#cursor = Math.max(this.#cursor, settled.at(-1)?.offset ?? -1);
  }

  #raiseFloor(offset: number): void {
    const firstOpen = this.#queue[0]?.offset ?? Number.POSITIVE_INFINITY;
    this.#floor = Math.max(this.#floor, Math.min(offset, this.#cursor, firstOpen - 1));
  }

  #forgetOldest(): void {
    if (this.#delivered.size <= this.#forgetAt) return;
    const offsets = [...this.#delivered.values()].sort((a, b) => a - b);
    this.finalize(offsets[FORGET_AT_ONCE] ?? -1);
    // Where one that is not done holds the floor, not at each further event.
    this.#forgetAt = Math.max(MAX_REMEMBERED, this.#delivered.size + FORGET_AT_ONCE / 10);
  }
}
