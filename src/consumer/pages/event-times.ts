import { type ChannelEvent, statedTimeOf } from "../../protocol/index.ts";

/** How far a time may be ahead of the machine's clock, or out of order with the events beside it. */
const BOUND_S = 600;
/** Above this, seconds since 1970 are milliseconds. */
const MAX_S = 1e11;

/** When events were created, as far as that is plausible: one wrong time must not decide about other events. */
export class EventTimes {
  readonly #now: () => number;
  readonly #plausible = new WeakMap<ChannelEvent, number>();
  #newest: number | undefined;

  /** `now` gives the machine's time, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes a page, ascending by offset. */
  note(page: readonly ChannelEvent[]): void {
    const latest = this.#now() / 1000 + BOUND_S;
    const times = page.map((event) => {
      const time = statedTimeOf(event);
      return time !== undefined && time > 0 && time <= latest && time < MAX_S ? time : undefined;
    });
    for (const [index, event] of page.entries()) {
      const time = times[index];
      if (time === undefined) continue;
      const before = times[index - 1] ?? time;
      const after = times[index + 1] ?? time;
      if (time < before - BOUND_S || time > after + BOUND_S) continue;
      this.#plausible.set(event, time);
      this.#newest = Math.max(this.#newest ?? time, time);
    }
  }

  /** When a noted event was created, in Unix seconds; undefined when that is not known. */
  of(event: ChannelEvent): number | undefined {
    return this.#plausible.get(event);
  }

  /** How old a noted event is by the machine's clock, in milliseconds; 0 when that is not known. */
  ageMsOf(event: ChannelEvent): number {
    const time = this.of(event);
    return time === undefined ? 0 : Math.max(0, this.#now() - time * 1000);
  }

  /** The same, but at most its distance from the newest event, since the clock may be wrong. */
  minAgeMsOf(event: ChannelEvent): number {
    const time = this.of(event);
    if (time === undefined) return 0;
    return Math.min(this.ageMsOf(event), ((this.#newest ?? time) - time) * 1000);
  }
}
