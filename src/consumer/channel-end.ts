import type { Clock } from "./clock.ts";
import { isTooLarge } from "./error-class.ts";
import type { Page, PageSource } from "./page-source.ts";

export type ChannelEndOptions = {
  pages: PageSource;
  clock: Clock;
  /** The highest offset that reading came to. */
  reached: () => number;
};

type Choices = { isShort?: boolean };

/** Without news, how often to look whether the channel's end is where reading by offset says it is. */
const CHECK_MS = 60_000;

/** Looks at the newest events of a channel, and notes when they are older than those that were read. */
export class ChannelEnd {
  readonly #options: ChannelEndOptions;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #movedBack = false;

  constructor(options: ChannelEndOptions) {
    this.#options = options;
  }

  get isDue(): boolean {
    return this.#options.clock.elapsed() - this.#checkedAt >= CHECK_MS;
  }

  /** Whether the newest event was once newer than it is now. Reading it takes the note away. */
  takeMovedBack(): boolean {
    const movedBack = this.#movedBack;
    this.#movedBack = false;
    return movedBack;
  }

  /** Where the newest event is too large, the end is not known: an empty page with more. */
  async look(signal: AbortSignal, choices: Choices = {}): Promise<Page> {
    try {
      return await this.require(signal, choices);
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      this.#checkedAt = this.#options.clock.elapsed();
      return { events: [], first: undefined, last: undefined, more: true };
    }
  }

  /** The page of the newest events; of one where that will do. Throws what `PageSource` throws. */
  async require(signal: AbortSignal, { isShort = false }: Choices = {}): Promise<Page> {
    const { pages, clock, reached } = this.#options;
    const page = await pages.newest(signal, { isShort });
    this.#checkedAt = clock.elapsed();
    if ((page.last ?? -1) < reached()) this.#movedBack = true;
    return page;
  }
}
