import type { SeenMark } from "../../storage/cursor/cursor-state.ts";
import type { Clock } from "../../timing/index.ts";
import { isDueAgain } from "../schedule/pace.ts";

type Mark = { offset: number; atMs: number };

/** How many marks cover the whole time: an offset between two counts as seen at the later one. */
const MARKS = 60;

/**
 * When offsets were first seen, for a limited time. Ages are measured in monotonic time, since the machine's clock may
 * be set; only across a restart the clock is used.
 */
class FirstSeen {
  readonly #clock: Clock;
  readonly #withinMs: number;
  /** Ascending by both. */
  #marks: Mark[];

  constructor({ clock, withinMs }: { clock: Clock; withinMs: number }, stored: readonly SeenMark[] = []) {
    this.#clock = clock;
    this.#withinMs = withinMs;
    const [elapsed, now] = [clock.elapsed(), clock.now()];
    this.#marks = stored.map(([offset, at]) => ({ offset, atMs: elapsed - Math.max(0, now - at * 1000) }));
  }

  /** What to store. */
  get marks(): SeenMark[] {
    const [elapsed, now] = [this.#clock.elapsed(), this.#clock.now()];
    return this.#marks.map(({ offset, atMs }) => [offset, Math.round((now - (elapsed - atMs)) / 1000)]);
  }

  /** Notes that a channel reaches an offset. Returns whether that is new. */
  note(offset: number): boolean {
    const last = this.#marks.at(-1);
    if (last !== undefined && offset <= last.offset) return false;
    const atMs = this.#clock.elapsed();
    const beforeLast = this.#marks.at(-2);
    // Two marks within one step become one, with the later time.
    if (beforeLast !== undefined && atMs - beforeLast.atMs < this.#withinMs / MARKS) this.#marks.pop();
    this.#marks.push({ offset, atMs });
    const isOld = ({ atMs: at }: Mark) => at <= atMs - this.#withinMs;
    while (this.#marks[1] !== undefined && isOld(this.#marks[1])) this.#marks.shift();
    return true;
  }

  /** The highest offset that was first seen at least `agoMs` ago; -1 when that is not known. */
  reached(agoMs: number): number {
    const until = this.#clock.elapsed() - agoMs;
    return this.#marks.findLast(({ atMs }) => atMs <= until)?.offset ?? -1;
  }
}

/**
 * Where an event that becomes visible below others is found within a minute: while these were first seen no longer ago
 * than `withinMs`, in milliseconds, or while it is among the newest `events`.
 */
export type LateWindow = { withinMs: number; events: number };

/** Offsets to read again, above `from` and up to `upTo`. */
type RereadRange = { from: number; upTo: number };

/** Nothing is read again at or below `floor`; the newest events, as many as the window has, begin at `newest`. */
type Extent = { floor: number; newest: () => number; readUpTo: number };

/** How often the window is read again while the channel grows. */
const WINDOW_INTERVAL_MS = 60_000;
/** How far back everything is read again, and how often: less often while no event is late. */
const HOUR_MS = 3_600_000;
const MIN_HOUR_INTERVAL_MS = 60_000;
const MAX_HOUR_INTERVAL_MS = 3_600_000;
/** What was first seen in the last polls, or in this time, is read again in each poll. */
const RECENT_POLLS = 2;
const RECENT_MS = 2_000;

/**
 * Plans when to read offsets again, since an event may become visible below others: in each poll what is seconds old,
 * each minute the window while the channel grows, and every 1 to 60 minutes the last hour.
 */
export class RereadSchedule {
  readonly #clock: Clock;
  readonly #window: LateWindow;
  /** For the window, in this run only; and for the hour, across restarts. */
  readonly #windowSeen: FirstSeen;
  readonly #hourSeen: FirstSeen;
  /** Up to where everything was read when the last polls began. */
  readonly #recentPolls: Array<{ readUpTo: number; atMs: number }> = [];
  #startedAt: number | undefined;
  #grewAt = Number.NEGATIVE_INFINITY;
  #windowReadAt = Number.NEGATIVE_INFINITY;
  #hourReadAt: number | undefined;
  #hourIntervalMs = MIN_HOUR_INTERVAL_MS;

  constructor({ clock, window }: { clock: Clock; window: LateWindow }, stored: readonly SeenMark[] = []) {
    this.#clock = clock;
    this.#window = window;
    this.#windowSeen = new FirstSeen({ clock, withinMs: window.withinMs + WINDOW_INTERVAL_MS });
    this.#hourSeen = new FirstSeen({ clock, withinMs: HOUR_MS }, stored);
  }

  /** What to store. */
  get marks(): SeenMark[] {
    return this.#hourSeen.marks;
  }

  /** No late event is expected at or below this offset any more. */
  get settled(): number {
    return Math.min(this.#hourSeen.reached(HOUR_MS), this.#windowSeen.reached(this.#window.withinMs));
  }

  /** A poll begins. Everything was read up to this offset, in the first poll only up to `first`. Returns where to read from. */
  begin(readUpTo: number, first: () => number): number {
    const now = this.#clock.elapsed();
    const isFirst = this.#recentPolls.length === 0;
    const upTo = isFirst ? Math.min(readUpTo, first()) : readUpTo;
    this.#startedAt ??= upTo;
    this.#recentPolls.push({ readUpTo: upTo, atMs: now });
    while (
      this.#recentPolls.length > RECENT_POLLS + 1 &&
      now - (this.#recentPolls[1]?.atMs ?? now) >= RECENT_MS
    )
      this.#recentPolls.shift();
    return Math.min(readUpTo, this.#recentPolls[0]?.readUpTo ?? readUpTo);
  }

  /** Notes that the channel reaches up to an offset. */
  note(end: number | undefined): void {
    if (end === undefined) return;
    this.#hourSeen.note(end);
    if (this.#windowSeen.note(end)) this.#grewAt = this.#clock.elapsed();
  }

  /** An event was late: others may be. */
  lateEventFound(): void {
    this.#hourIntervalMs = MIN_HOUR_INTERVAL_MS;
  }

  /** The offsets that are due to be read again now. Each range is due once in its interval. */
  due({ floor, newest, readUpTo }: Extent): RereadRange | undefined {
    const now = this.#clock.elapsed();
    let range: RereadRange | undefined;
    if (this.#hourReadAt === undefined || isDueAgain(this.#hourReadAt, now, this.#hourIntervalMs)) {
      const isFirst = this.#hourReadAt === undefined;
      // What was read in this run is read again later.
      range = { from: floor, upTo: isFirst ? (this.#startedAt ?? readUpTo) : readUpTo };
      if (!isFirst) this.#hourIntervalMs = Math.min(MAX_HOUR_INTERVAL_MS, 2 * this.#hourIntervalMs);
      this.#hourReadAt = now;
      this.#windowReadAt = now;
    } else if (this.#windowIsDue(now)) {
      // An event that became visible just before it left the window is found the next time.
      const agoMs = this.#window.withinMs + WINDOW_INTERVAL_MS;
      const reached = Math.max(this.#windowSeen.reached(agoMs), this.#hourSeen.reached(agoMs));
      range = { from: Math.max(floor, Math.min(reached, newest() - 1)), upTo: readUpTo };
      this.#windowReadAt = now;
    }
    return range !== undefined && range.from < range.upTo ? range : undefined;
  }

  /** Until the window was read once after everything in it had left it. */
  #windowIsDue(now: number): boolean {
    const isDone = this.#windowReadAt >= this.#grewAt + this.#window.withinMs;
    return !isDone && isDueAgain(this.#windowReadAt, now, WINDOW_INTERVAL_MS);
  }
}
