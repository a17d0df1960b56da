import type { Clock } from "./clock.ts";

/** An offset, and when it was first seen that a channel reaches up to it. Unix seconds. */
export type SeenMark = [offset: number, atSeconds: number];

type Mark = { offset: number; atMs: number };

/** So many marks cover the whole time: what lies between two counts as seen at the later one. */
const MARKS = 60;

/**
 * When offsets were first seen to be reached, for a limited time. Ages are measured by the time that passes, not by
 * the machine's clock, which may be set; only over a restart the clock has to do.
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

  /** To be stored. */
  get marks(): SeenMark[] {
    const [elapsed, now] = [this.#clock.elapsed(), this.#clock.now()];
    return this.#marks.map(({ offset, atMs }) => [offset, Math.round((now - (elapsed - atMs)) / 1000)]);
  }

  /** Notes that a channel reaches up to an offset. Tells whether it did not before. */
  note(offset: number): boolean {
    const last = this.#marks.at(-1);
    if (last !== undefined && offset <= last.offset) return false;
    const atMs = this.#clock.elapsed();
    const beforeLast = this.#marks.at(-2);
    // Two of one step become one, of the later time.
    if (beforeLast !== undefined && atMs - beforeLast.atMs < this.#withinMs / MARKS) this.#marks.pop();
    this.#marks.push({ offset, atMs });
    const isOld = ({ atMs: at }: Mark) => at <= atMs - this.#withinMs;
    while (this.#marks[1] !== undefined && isOld(this.#marks[1])) this.#marks.shift();
    return true;
  }

  /** The highest offset that was first seen to be reached so long ago; -1 when that is not known. */
  reached(agoMs: number): number {
    const until = this.#clock.elapsed() - agoMs;
    return this.#marks.findLast(({ atMs }) => atMs <= until)?.offset ?? -1;
  }
}
