import type { Page } from "../../protocol/index.ts";
import { AwaitedPage } from "../lists/awaited-page.ts";
import type { Listing } from "../lists/pages.ts";

type Selection<T> = {
  /** Reads the list from its beginning. */
  items: () => AsyncIterable<T>;
  /** How many items to skip. */
  offset: number;
  /** The size of a page. */
  limit: number;
};

/** A part of a list as a list of its own. It is only read when it is awaited or iterated. */
export function selected<T>(selection: Selection<T>): Listing<T> {
  return new Selected(selection);
}

class Selected<T> extends AwaitedPage<T> {
  readonly #selection: Selection<T>;

  constructor(selection: Selection<T>) {
    super();
    this.#selection = selection;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const { items, offset } = this.#selection;
    let seen = 0;
    for await (const item of items()) {
      seen += 1;
      if (seen > offset) yield item;
    }
  }

  /** One item more than the page has shows that more follow. */
  protected async page(): Promise<Page<T>> {
    const data: T[] = [];
    for await (const item of this) {
      if (data.length === this.#selection.limit) return { data, has_more: true };
      data.push(item);
    }
    return { data, has_more: false };
  }
}
