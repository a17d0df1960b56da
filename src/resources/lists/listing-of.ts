import type { Page } from "../../protocol/index.ts";
import { AwaitedPage } from "./awaited-page.ts";
import type { Listing } from "./pages.ts";

/**
 * A list. Where an option is wrong, one that rejects when it is awaited, or at its first item: the call that makes a list
 * never throws.
 */
export function listingOf<T>(make: () => Listing<T>): Listing<T> {
  try {
    return make();
  } catch (error) {
    return new Refused<T>(error);
  }
}

class Refused<T> extends AwaitedPage<T> {
  readonly #error: unknown;

  constructor(error: unknown) {
    super();
    this.#error = error;
  }

  // biome-ignore lint/correctness/useYield: it has no items
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    throw this.#error;
  }

  protected async page(): Promise<Page<T>> {
    throw this.#error;
  }
}
