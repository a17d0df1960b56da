import type { SeenMark } from "../../storage/cursor/cursor-state.ts";
import type { Clock } from "../../timing/index.ts";

type Mark = { offset: number; atMs: number };

/** How many marks cover the whole time: an offset between two counts as seen at the later one. */
const MARKS = 60;

/**
 * When offsets were first seen, for a limited time. Ages are measured in monotonic time, since the machine's clock may
 * be set; only across a restart the clock is used.
 */
export class FirstSeen {
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
