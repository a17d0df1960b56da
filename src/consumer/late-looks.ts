import type { Clock } from "./clock.ts";
import { FirstSeen, type SeenMark } from "./first-seen.ts";

/**
 * How long an event may become visible below others and be found within a minute: for so long after these were
 * first seen, and at least while it is among so many of the newest.
 */
export type LateWindow = { withinMs: number; events: number };

/** Where a look for late events begins, and up to where it goes. Offsets; it begins above `from`. */
export type LateLook = { from: number; upTo: number };

/** Nothing is looked for at or below `floor`; the newest events, as many as the window has, begin at `newest`. */
type Extent = { floor: number; newest: () => number; readUpTo: number };

/** While something moves, how often to look through the window. */
const WINDOW_EVERY_MS = 60_000;
/** How far back to look below it, and how often: less often while nothing late comes. */
const DEEP_WITHIN_MS = 3_600_000;
const FIRST_DEEP_MS = 60_000;
const LONGEST_DEEP_MS = 3_600_000;
/** What was first seen in the last looks, or not longer ago than this, is read at each look again. */
const NEAR_LOOKS = 2;
const NEAR_MS = 2_000;

/**
 * Plans when to read offsets again that were read before, since an event may become visible below others: at each
 * look what is seconds old, each minute the window while something moves, and every 1 to 60 minutes the last hour.
 */
export class LateLooks {
  readonly #clock: Clock;
  readonly #window: LateWindow;
  /** For the window, of this run alone; and for the hour, over restarts. */
  readonly #recent: FirstSeen;
  readonly #hour: FirstSeen;
  /** Up to where all was read when the last looks began. */
  readonly #near: Array<{ readUpTo: number; atMs: number }> = [];
  #startedAt: number | undefined;
  #movedAt = Number.NEGATIVE_INFINITY;
  #windowAt = Number.NEGATIVE_INFINITY;
  #deepAt: number | undefined;
  #deepEveryMs = FIRST_DEEP_MS;

  constructor({ clock, window }: { clock: Clock; window: LateWindow }, stored: readonly SeenMark[] = []) {
    this.#clock = clock;
    this.#window = window;
    this.#recent = new FirstSeen({ clock, withinMs: window.withinMs + WINDOW_EVERY_MS });
    this.#hour = new FirstSeen({ clock, withinMs: DEEP_WITHIN_MS }, stored);
  }

  /** To be stored. */
  get marks(): SeenMark[] {
    return this.#hour.marks;
  }

  /** Nothing that is looked for becomes visible at or below this offset any more. */
  get settled(): number {
    return Math.min(this.#hour.reached(DEEP_WITHIN_MS), this.#recent.reached(this.#window.withinMs));
  }

  /** A look begins; all was read up to this offset, at the first look only up to `first`. Gives where to read on. */
  begin(readUpTo: number, first: () => number): number {
    const now = this.#clock.elapsed();
    const isFirst = this.#near.length === 0;
    const upTo = isFirst ? Math.min(readUpTo, first()) : readUpTo;
    this.#startedAt ??= upTo;
    this.#near.push({ readUpTo: upTo, atMs: now });
    while (this.#near.length > NEAR_LOOKS + 1 && now - (this.#near[1]?.atMs ?? now) >= NEAR_MS)
      this.#near.shift();
    return Math.min(readUpTo, this.#near[0]?.readUpTo ?? readUpTo);
  }

  /** Notes that the channel reaches up to an offset. */
  note(end: number | undefined): void {
    if (end === undefined) return;
    this.#hour.note(end);
    if (this.#recent.note(end)) this.#movedAt = this.#clock.elapsed();
  }

  /** An event came late: others may have. */
  foundLate(): void {
    this.#deepEveryMs = FIRST_DEEP_MS;
  }

  /**
   * The look for late events that is due now, if one is. Until `readUpTo` moves on, the same one is not due again
   * before its time.
   */
  due({ floor, newest, readUpTo }: Extent): LateLook | undefined {
    const now = this.#clock.elapsed();
    let look: LateLook | undefined;
    if (this.#deepAt === undefined || now - this.#deepAt >= this.#deepEveryMs) {
      const isFirst = this.#deepAt === undefined;
      // What has been read in this run is looked at again later.
      look = { from: floor, upTo: isFirst ? (this.#startedAt ?? readUpTo) : readUpTo };
      if (!isFirst) this.#deepEveryMs = Math.min(LONGEST_DEEP_MS, 2 * this.#deepEveryMs);
      this.#deepAt = now;
      this.#windowAt = now;
    } else if (this.#windowIsDue(now)) {
      // What became visible just before it left the window is found by the next look.
      const agoMs = this.#window.withinMs + WINDOW_EVERY_MS;
      const reached = Math.max(this.#recent.reached(agoMs), this.#hour.reached(agoMs));
      look = { from: Math.max(floor, Math.min(reached, newest() - 1)), upTo: readUpTo };
      this.#windowAt = now;
    }
    return look !== undefined && look.from < look.upTo ? look : undefined;
  }

  /** Until one look began after everything in it had left the window. */
  #windowIsDue(now: number): boolean {
    const isDone = this.#windowAt >= this.#movedAt + this.#window.withinMs;
    return !isDone && now - this.#windowAt >= WINDOW_EVERY_MS;
  }
}
