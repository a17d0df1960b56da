import type { ChannelEvent } from "../../protocol/index.ts";

/** A page, ascending, with its lowest and highest offset. */
type Page = { events: ChannelEvent[]; first: number | undefined; last: number | undefined };

type RereadOptions = {
  page: (signal: AbortSignal, offset: number) => Promise<Page>;
  /** Whether pages by offset lead to newer events or to older ones. */
  direction: "up" | "down";
  /** Above this and up to there. Offsets. */
  from: number;
  upTo: number;
  /** The offset of the lowest event in between that is known to be there. */
  lowest: number;
};

/**
 * Reads a part of a channel again, page by page. `covered` says up to where all visible events were returned; when pages
 * lead down, it moves only at the end.
 */
export class RereadPages {
  readonly #options: RereadOptions;
  #position: number;
  #covered: number;
  #isOver = false;

  constructor(options: RereadOptions) {
    this.#options = options;
    this.#position = options.direction === "up" ? options.from : options.upTo;
    this.#covered = options.from;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** All visible events above the start, up to this offset, were in the pages so far. */
  get covered(): number {
    return this.#covered;
  }

  /** The events of the next page, ascending. Throws what the source throws; call it again then. */
  async next(signal: AbortSignal): Promise<ChannelEvent[]> {
    const { page, direction } = this.#options;
    const { events, first, last } = await page(signal, Math.max(0, this.#position));
    if (direction === "up") this.#advanceUp(last);
    else this.#advanceDown(first, last);
    return events;
  }

  #advanceUp(last: number | undefined): void {
    const { upTo } = this.#options;
    const isStuck = last === undefined || last <= this.#position;
    if (!isStuck) {
      this.#position = last;
      this.#covered = Math.max(this.#covered, Math.min(last, upTo));
    }
    this.#isOver = isStuck || last >= upTo;
  }

  /** A page that shows nothing lower is the last. It covers everything when it reached the lowest known event. */
  #advanceDown(first: number | undefined, last: number | undefined): void {
    const { from, upTo, lowest } = this.#options;
    const isOther = last !== undefined && last > this.#position;
    // A page of one event may show only the event at its offset.
    const isAlone = first === this.#position && last === first && first > 0;
    const isLast = first === undefined || (first >= this.#position && !isAlone);
    const gotDown = isLast ? this.#position <= lowest : first <= from + 1;
    if (gotDown && !isOther) this.#covered = upTo;
    this.#isOver = gotDown || isOther || isLast;
    if (isAlone) this.#position -= 1;
    else if (first !== undefined) this.#position = Math.min(this.#position, first);
  }
}
