import type { ChannelEvent } from "../protocol/index.ts";
import { isStartsState, Starts, type StartsState } from "./starts.ts";

/** Whose place it is: one consumer, on one channel, of one service (its base address). */
export type CursorIdentity = { consumer: string; channelId: string; service: string };

/** A consumer's place in a channel, as it is stored. Offsets; -1 is before the first event. */
export type CursorState = StartsState & {
  version: 1;
  identity: CursorIdentity;
  /** The highest offset with everything at or below it delivered, or not wanted. */
  cursor: number;
  /** At or below this nothing is looked for any more, not even what becomes visible late. */
  floor: number;
  /** Everything above the cursor up to here may have been delivered before. */
  handedOut: number;
  /** What was delivered last, and above the floor at least; each event with the highest offset it was seen at. */
  delivered: Array<[offset: number, eventId: string]>;
  /** Events made before this time are passed over. Unix seconds. */
  notBefore?: number;
};

/** So many are remembered even below the floor: the service may give an event again at a higher offset. */
const MIN_REMEMBERED = 200;
/** More than this in one window means a service of strange habits: the oldest are then forgotten. */
const MAX_REMEMBERED = 5000;

type Pending = {
  offset: number;
  eventId: string;
  done: boolean;
  handedOver: boolean;
  /** The highest offset at which the event was seen. */
  highest: number;
};

/**
 * The bookkeeping of a consumer: which events are new, which are being worked on, how far everything is done.
 * Events may be settled in any order. Knows no clock, no store and no service.
 */
export class Cursor {
  readonly identity: CursorIdentity;
  readonly notBefore: number | undefined;
  /** What is known of events that may have ended the process. */
  readonly starts: Starts;
  #cursor: number;
  #floor: number;
  #final: number;
  #handedOut: number;
  #reserved: number;
  /** The highest offset really handed over, in this run or before it. */
  #touched: number;
  /** Up to here, an event may be a repetition. */
  #doubtful: number;
  readonly #delivered: Map<string, number>;
  /** Admitted and at or above the first that is not settled; ascending. */
  #queue: Pending[] = [];
  readonly #pending = new Map<string, Pending>();

  constructor(state: CursorState) {
    this.identity = state.identity;
    this.notBefore = state.notBefore;
    this.starts = new Starts(state);
    this.#cursor = state.cursor;
    this.#floor = state.floor;
    this.#final = state.floor;
    this.#handedOut = state.handedOut;
    this.#reserved = state.handedOut;
    this.#touched = state.handedOut;
    this.#doubtful = state.handedOut;
    this.#delivered = new Map(state.delivered.map(([offset, eventId]) => [eventId, offset]));
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

  /** Where to read on: what is to be found at or below was settled, or is being worked on. */
  get readUpTo(): number {
    return this.#pending.size === 0 ? this.#floor : Math.max(this.#floor, this.#final);
  }

  /** The offset of an event that is known to be in the channel, the highest such. */
  get known(): number {
    return Math.max(this.#cursor, this.#queue.at(-1)?.offset ?? -1);
  }

  /** How many settled events have to be remembered, because of late ones and of those that are not settled. */
  get remembered(): number {
    return this.#delivered.size;
  }

  /** Takes a page, ascending, and gives back what of it is new. Each of these must be settled or released. */
  admit(events: readonly ChannelEvent[]): ChannelEvent[] {
    return events.filter(({ event_id: eventId, headers: { offset } }) => {
      if (offset <= this.#floor) return false;
      if (this.#pending.has(eventId) || this.#delivered.has(eventId)) {
        this.#seeAgain(eventId, offset);
        return false;
      }
      this.#enqueue({ offset, eventId, done: false, handedOver: false, highest: offset });
      return true;
    });
  }

  /**
   * The first offset at which another event was seen before: the channel is not the one it was. Not where both are
   * there now. Events that are missing say nothing: a service may keep only the newest.
   */
  contradiction(events: readonly ChannelEvent[]): number | undefined {
    const unknown = events.filter(
      ({ event_id: id, headers }) =>
        headers.offset <= this.known && !this.#pending.has(id) && !this.#delivered.has(id),
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

  /** Notes that an event is now handed over, and tells whether it may have been before. */
  handOver({ event_id: eventId, headers: { offset } }: ChannelEvent): { redelivered: boolean } {
    const entry = this.#pending.get(eventId);
    if (entry !== undefined) entry.handedOver = true;
    this.#touched = Math.max(this.#touched, offset);
    return { redelivered: offset <= this.#doubtful };
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
  }

  /** Nothing at or below `offset` can become visible any more: it need not be remembered once it is settled. */
  finalize(offset: number): void {
    this.#final = Math.max(this.#final, offset);
    this.forgetSettled();
  }

  /** Forgets what was settled and cannot come again. */
  forgetSettled(): void {
    this.#forgetOldest();
    const firstOpen = this.#queue[0]?.offset ?? Number.POSITIVE_INFINITY;
    const floor = Math.min(this.#final, this.#cursor, firstOpen - 1);
    if (floor <= this.#floor) return;
    this.#floor = floor;
    const settled = [...this.#delivered].filter(([, at]) => at <= floor).sort(([, a], [, b]) => a - b);
    const excess = Math.max(0, this.#delivered.size - MIN_REMEMBERED);
    for (const [eventId] of settled.slice(0, excess)) this.#delivered.delete(eventId);
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
    this.#final = Math.min(this.#final, first - 1);
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
      ...this.starts.snapshot({ exact }),
      ...(this.notBefore === undefined ? {} : { notBefore: this.notBefore }),
    };
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
    if (!isPassed) this.#enqueue({ offset, eventId, done: true, handedOver: false, highest: offset });
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

  #forgetOldest(): void {
    const excess = this.#delivered.size - MAX_REMEMBERED;
    if (excess <= 0) return;
    const oldest = [...this.#delivered].sort(([, a], [, b]) => a - b).slice(0, excess);
    for (const [eventId, offset] of oldest) {
      this.#delivered.delete(eventId);
      this.#doubtful = Math.max(this.#doubtful, offset);
    }
  }
}

/** The state of a consumer that has everything from `offset` on before it. */
export function stateFrom(identity: CursorIdentity, offset: number, notBefore?: number): CursorState {
  const before = Math.max(-1, offset - 1);
  return {
    version: 1,
    identity,
    cursor: before,
    floor: before,
    handedOut: before,
    delivered: [],
    ...(notBefore === undefined ? {} : { notBefore }),
  };
}

/**
 * The state of a consumer that starts after the newest page of a channel, ascending.
 * What is visible now counts as delivered; what becomes visible among it later does not. `more`: there are
 * events below the page.
 */
export function stateAfter(
  identity: CursorIdentity,
  newest: readonly ChannelEvent[],
  { window, more }: { window: number; more: boolean },
): CursorState {
  const end = newest.at(-1)?.headers.offset ?? -1;
  const unseen = more ? (newest[0]?.headers.offset ?? 0) - 1 : -1;
  const floor = Math.max(-1, end - window - 1, unseen);
  const delivered = newest
    .filter(({ headers }) => headers.offset > floor)
    .map((event): [number, string] => [event.headers.offset, event.event_id]);
  return { version: 1, identity, cursor: end, floor, handedOut: end, delivered };
}

/** Whether a value read from a store has the shape of a state. */
export function isCursorState(value: unknown): value is CursorState {
  if (!isObject(value) || value.version !== 1 || !isObject(value.identity)) return false;
  const { consumer, channelId, service } = value.identity;
  const { cursor, floor, handedOut, delivered, notBefore } = value;
  return (
    [consumer, channelId, service].every((text) => typeof text === "string") &&
    [cursor, floor, handedOut].every(isOffset) &&
    isStartsState(value) &&
    (notBefore === undefined || typeof notBefore === "number") &&
    Array.isArray(delivered) &&
    delivered.every((item) => Array.isArray(item) && isOffset(item[0]) && typeof item[1] === "string")
  );
}

function isOffset(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= -1;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
