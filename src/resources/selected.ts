import type { Page } from "../protocol/index.ts";
import type { Listing } from "./pages.ts";

export type Selection<T> = {
  /** Reads the list from its beginning. */
  items: () => AsyncIterable<T>;
  /** How many items are passed over, and how many a page has. */
  offset: number;
  limit: number;
};

/** What was selected from a list, as a list of its own. It asks when it is awaited or iterated, not before. */
export function selected<T>(selection: Selection<T>): Listing<T> {
  return new Selected(selection);
}

class Selected<T> implements Listing<T> {
  readonly [Symbol.toStringTag] = "Listing";
  readonly #selection: Selection<T>;
  #page: Promise<Page<T>> | undefined;

  constructor(selection: Selection<T>) {
    this.#selection = selection;
  }

  // biome-ignore lint/suspicious/noThenProperty: only those who await it read to the end of a page
  then<A = Page<T>, B = never>(
    onPage?: ((page: Page<T>) => A | PromiseLike<A>) | null,
    onError?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#page ??= this.#read();
    return this.#page.then(onPage, onError);
  }

  catch<B = never>(onError?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<Page<T> | B> {
    return this.then(undefined, onError);
  }

  finally(onEnd?: (() => void) | null): Promise<Page<T>> {
    return this.then().finally(onEnd);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const { items, offset } = this.#selection;
    let seen = 0;
    for await (const item of items()) {
      seen += 1;
      if (seen > offset) yield item;
    }
  }

  /** One item more than fits tells that there is more. */
  async #read(): Promise<Page<T>> {
    const data: T[] = [];
    for await (const item of this) {
      if (data.length === this.#selection.limit) return { data, has_more: true };
      data.push(item);
    }
    return { data, has_more: false };
  }
}
