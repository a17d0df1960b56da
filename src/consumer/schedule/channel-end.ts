import type { Clock } from "../../timing/index.ts";
import type { Page, PageSource } from "../pages/page-source.ts";
import { isDueAgain } from "./pace.ts";
import { isTooLarge } from "./read-errors.ts";

type ChannelEndOptions = {
  pages: PageSource;
  clock: Clock;
  /** The highest offset that was read. */
  reached: () => number;
};

type Choices = { isShort?: boolean };

/** How often to check, while there is nothing new, that the channel ends where reading by offset ends. */
const CHECK_INTERVAL_MS = 60_000;

/** Reads the newest events of a channel, and notes when they are older than those that were read before. */
export class ChannelEnd {
  readonly #options: ChannelEndOptions;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #movedBack = false;

  constructor(options: ChannelEndOptions) {
    this.#options = options;
  }

  get isDue(): boolean {
    return isDueAgain(this.#checkedAt, this.#options.clock.elapsed(), CHECK_INTERVAL_MS);
  }

  /** Whether the newest event was once newer than it is now. Reading it clears the note. */
  takeMovedBack(): boolean {
    const movedBack = this.#movedBack;
    this.#movedBack = false;
    return movedBack;
  }

  /** The newest page. When the newest event is too large, the end is not known: an empty page with more. */
  async check(signal: AbortSignal, choices: Choices = {}): Promise<Page> {
    try {
      return await this.require(signal, choices);
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      this.#checkedAt = this.#options.clock.elapsed();
      return { events: [], first: undefined, last: undefined, more: true };
    }
  }

  /** The newest page; `isShort`: of one event. Throws what `PageSource` throws. */
  async require(signal: AbortSignal, { isShort = false }: Choices = {}): Promise<Page> {
    const { pages, clock, reached } = this.#options;
    const page = await pages.newest(signal, { isShort });
    this.#checkedAt = clock.elapsed();
    if ((page.last ?? -1) < reached()) this.#movedBack = true;
    return page;
  }
}
