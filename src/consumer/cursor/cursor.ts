import { type ChannelEvent, canonicalId, idOfUnnamed } from "../../protocol/index.ts";
import type { CursorIdentity, CursorState, SeenMark } from "../../storage/cursor/cursor-state.ts";
import type { Mark } from "../pages/gap.ts";
import { CrashCounts } from "./crash-counts.ts";
import { StoredMark } from "./stored-mark.ts";

/** How many are remembered even below the floor: the service may show an event again at a higher offset. */
const MIN_REMEMBERED = 200;
/** How many are remembered at most, however short the time was. */
const MAX_REMEMBERED = 50_000;
/** How many are forgotten when there are more. */
const FORGET_COUNT = 10_000;

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
 * The bookkeeping of a consumer: which events are new, which are being processed, up to where everything is settled.
 * Events may be settled in any order. Has no clock, no store and no service.
 */
export class Cursor {
  readonly identity: CursorIdentity;
  readonly notBefore: number | undefined;
  /** Up to here, an event may have been delivered before the cursor was restored from elsewhere. */
  readonly #restoredUpTo: number;
  /** The events that may have ended the process. */
  readonly crashCounts: CrashCounts;
  /** When offsets were first seen; stored with the rest. */
  seen: readonly SeenMark[];
  #cursor: number;
  #floor: number;
  /** Up to here everything was admitted; what is not settled of it is being processed. */
  #readUpTo: number;
  /** The highest offset that was handed over in this run. */
  #top = -1;
  #handedOut: number;
  #reserved: number;
  /** The lowest offset at which an event was read, is not settled, and is not in the queue. */
  #unsettledFrom: number | undefined;
  readonly #storedMark: StoredMark;
  /** The highest offset that was really handed over, in this run or before. */
  #touched: number;
  /** Up to here, an event may have been delivered before. */
  #doubtful: number;
  readonly #delivered: Map<string, number>;
  #forgetAt = MAX_REMEMBERED;
  /** Admitted and at or above the first that is not settled; ascending. */
  #queue: Pending[] = [];
  readonly #pending = new Map<string, Pending>();

  constructor(state: CursorState) {
    this.identity = state.identity;
    this.notBefore = state.notBefore;
    this.crashCounts = new CrashCounts(state);
    this.#restoredUpTo = state.restoredUpTo ?? -1;
    this.#cursor = state.cursor;
    this.#floor = state.floor;
    this.#unsettledFrom = state.unsettledFrom;
    // It may be late, below the cursor.
    this.#readUpTo = Math.min(state.cursor, (state.unsettledFrom ?? Number.POSITIVE_INFINITY) - 1);
    this.seen = state.seen ?? [];
    this.#handedOut = state.handedOut;
    this.#reserved = state.handedOut;
    this.#touched = state.handedOut;
    this.#doubtful = state.handedOut;
    this.#delivered = new Map(state.delivered.map(([offset, eventId]) => [canonicalId(eventId), offset]));
    this.#storedMark = new StoredMark(this.mark, this.#known());
  }

  get cursor(): number {
    return this.#cursor;
  }

  get floor(): number {
    return this.#floor;
  }

  /** Whether it is stored that the event at an offset may have been handed over, and so that its loss is noticed. */
  isReserved(offset: number): boolean {
    return offset <= this.#reserved && this.#storedMark.covers(offset);
  }

  /** Where to read from: everything that was visible at or below this offset was admitted. */
  get readUpTo(): number {
    return this.#readUpTo;
  }

  /** Up to where everything that was visible was handed over, or settled; undefined while an event waits for that. */
  get handedOverUpTo(): number | undefined {
    if (this.#unsettledFrom !== undefined) return undefined;
    for (const { handedOver } of this.#pending.values()) if (!handedOver) return undefined;
    return Math.max(this.#readUpTo, this.#cursor, this.#queue.at(-1)?.offset ?? -1);
  }

  /**
   * The highest known event among those that were read, but not one at offset 0: a page may not be able to show it. Else
   * the lowest that is not settled, if one is known.
   */
  get mark(): Mark | undefined {
    let highest = 0;
    for (const offset of this.#known()) if (offset <= this.#readUpTo) highest = Math.max(highest, offset);
    if (highest > 0) return { offset: highest, isRead: true };
    return this.#unsettledFrom === undefined ? undefined : { offset: this.#unsettledFrom, isRead: false };
  }

  /** Whether an event was delivered or filtered, or is not read any more. */
  isSettled(eventId: string, offset: number): boolean {
    const known = this.#knownAs(eventId, offset);
    if (known !== undefined) return !this.#pending.has(known);
    return offset <= Math.max(this.#readUpTo, this.#floor);
  }

  /** How many delivered events are remembered. */
  get remembered(): number {
    return this.#delivered.size;
  }

  /** Notes that everything that is visible up to an offset was admitted. */
  noteRead(upTo: number): void {
    this.#readUpTo = Math.max(this.#readUpTo, upTo);
    if (this.#unsettledFrom !== undefined && this.#unsettledFrom <= upTo) this.#unsettledFrom = undefined;
  }

  /** Notes that the service has nothing up to an offset any more, but has an event after it. */
  noteNotKept(upTo: number): void {
    if (this.#unsettledFrom !== undefined) this.#unsettledFrom = Math.max(this.#unsettledFrom, upTo + 1);
  }

  /** How many events are settled ahead of the first that is not. */
  get ahead(): number {
    return this.#queue.length - this.#pending.size;
  }

  /** The lowest offset of a known event above the given offset. */
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

  /** Takes a page, ascending, and returns its new events. Each of them must be settled or released. */
  admit(events: readonly ChannelEvent[]): ChannelEvent[] {
    const passed = Math.max(this.#cursor, this.#top);
    return events.filter((event) => {
      const { event_id: eventId, headers } = event;
      const { offset } = headers;
      if (offset <= this.#floor) return false;
      const known = this.#knownAs(eventId, offset);
      if (known !== undefined) {
        this.#seeAgain(known, offset);
        return false;
      }
      const late = offset < passed;
      this.#storedMark.admit(offset);
      if (offset === this.#unsettledFrom) this.#unsettledFrom = undefined;
      this.#enqueue({ offset, eventId, done: false, handedOver: false, highest: offset, late });
      return true;
    });
  }

  /**
   * The first offset at which another event was seen before: the channel was replaced. Not when both are visible now.
   * Missing events prove nothing: a service may keep only the newest.
   */
  contradiction(events: readonly ChannelEvent[]): number | undefined {
    const known = Math.max(this.#cursor, this.#queue.at(-1)?.offset ?? -1);
    const unknown = events.filter(
      ({ event_id: eventId, headers: { offset } }) =>
        offset <= known && this.#knownAs(eventId, offset) === undefined,
    );
    if (unknown.length === 0) return undefined;
    const ids = new Set(events.map(({ event_id }) => event_id));
    const taken = new Set(unknown.map(({ headers }) => headers.offset));
    const gone = new Set<number>();
    for (const [id, offset] of this.#delivered) if (taken.has(offset) && !ids.has(id)) gone.add(offset);
    for (const { eventId, offset } of this.#queue)
      if (taken.has(offset) && !ids.has(eventId)) gone.add(offset);
    return unknown.find(({ headers }) => gone.has(headers.offset))?.headers.offset;
  }

  /** Notes that events up to this offset are about to be handed over. Store the state, then confirm it. */
  reserve(upTo: number): void {
    this.#handedOut = Math.max(this.#handedOut, upTo);
  }

  /** A state that was taken since `reserve(upTo)` is stored: events up to there may be handed over. */
  confirm(upTo: number): void {
    this.#reserved = Math.max(this.#reserved, upTo);
    this.#storedMark.stored();
  }

  /** Notes that an event is now handed over. Returns whether it may have been before, and whether it is late. */
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

  /** An admitted event was delivered, or filtered. */
  settle(eventId: string): void {
    const entry = this.#pending.get(eventId);
    if (entry === undefined) return;
    entry.done = true;
    this.#pending.delete(eventId);
    this.#delivered.set(eventId, entry.highest);
    this.crashCounts.settled(eventId);
    this.#advance();
    this.#forgetOldest();
  }

  /** Nothing at or below `offset` is read any more: settled events need not be remembered. */
  finalize(offset: number): void {
    this.#raiseFloor(offset);
    if (this.#delivered.size <= MIN_REMEMBERED) return;
    const passed = [...this.#delivered].filter(([, at]) => at <= this.#floor).sort(([, a], [, b]) => a - b);
    const excess = Math.max(0, this.#delivered.size - MIN_REMEMBERED);
    for (const [eventId] of passed.slice(0, excess)) this.#delivered.delete(eventId);
  }

  /**
   * Forgets what is not settled, except for events that are kept: it will be admitted again, and counts as redelivered
   * if it was handed over.
   */
  release(isKept: (eventId: string) => boolean = () => false): void {
    const released = this.#queue.filter(({ eventId, done }) => !done && !isKept(eventId));
    for (const { eventId } of released) this.#pending.delete(eventId);
    if (released.some(({ handedOver }) => handedOver))
      this.#doubtful = Math.max(this.#doubtful, this.#touched);
    // Everything from there on must be read again, or the cursor would pass what was forgotten.
    const first = released[0]?.offset ?? Number.POSITIVE_INFINITY;
    if (released.length > 0) this.#unsettledFrom = Math.min(this.#unsettledFrom ?? first, first);
    this.#queue = this.#queue.filter(({ eventId, offset, done }) =>
      done ? offset < first : this.#pending.has(eventId),
    );
    this.#readUpTo = Math.min(this.#readUpTo, first - 1);
    this.#advance();
  }

  /** What to store. `exact` omits what was reserved and never handed over: for an orderly end. */
  snapshot({ exact = false } = {}): CursorState {
    const unsettledFrom = this.#firstUnsettled();
    return {
      version: 1,
      identity: this.identity,
      cursor: this.#cursor,
      floor: this.#floor,
      handedOut: exact ? this.#touched : this.#handedOut,
      ...(Number.isFinite(unsettledFrom) ? { unsettledFrom } : {}),
      delivered: [...this.#delivered].map(([eventId, offset]) => [offset, eventId]),
      ...(this.seen.length === 0 ? {} : { seen: [...this.seen] }),
      ...this.crashCounts.snapshot({ exact }),
      ...(this.#restoredUpTo > this.#cursor ? { restoredUpTo: this.#restoredUpTo } : {}),
      ...(this.notBefore === undefined ? {} : { notBefore: this.notBefore }),
    };
  }

  /** The id under which an event is known, if it is. An event may show its id on some pages only. */
  #knownAs(eventId: string, offset: number): string | undefined {
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
   * The same event at another offset is not new. But the cursor has to pass it, and it is remembered for as long as it
   * may be found at its highest offset.
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
    this.#floor = Math.max(this.#floor, Math.min(offset, this.#cursor, this.#firstUnsettled() - 1));
  }

  /** The lowest offset at which an event was read and is not settled; infinite when there is none. */
  #firstUnsettled(): number {
    const none = Number.POSITIVE_INFINITY;
    return Math.min(this.#queue[0]?.offset ?? none, this.#unsettledFrom ?? none);
  }

  #forgetOldest(): void {
    if (this.#delivered.size <= this.#forgetAt) return;
    const offsets = [...this.#delivered.values()].sort((a, b) => a - b);
    this.finalize(offsets[FORGET_COUNT] ?? -1);
    // While an unsettled event holds the floor, not after each further event.
    this.#forgetAt = Math.max(MAX_REMEMBERED, this.#delivered.size + FORGET_COUNT / 10);
  }
}
