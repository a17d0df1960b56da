import type { Page } from "../protocol/index.ts";

/** A list that is a page to those who await it, and all its items to those who iterate it. */
export abstract class AwaitedPage<T> implements Promise<Page<T>>, AsyncIterable<T> {
  readonly [Symbol.toStringTag] = "Listing";
  #page: Promise<Page<T>> | undefined;

  abstract [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined>;

  /** Called once, and only where the list is awaited. */
  protected abstract page(): Promise<Page<T>>;

  // biome-ignore lint/suspicious/noThenProperty: a page that takes several calls is put together only for those who await it
  then<A = Page<T>, B = never>(
    onPage?: ((page: Page<T>) => A | PromiseLike<A>) | null,
    onError?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#page ??= this.page();
    return this.#page.then(onPage, onError);
  }

  catch<B = never>(onError?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<Page<T> | B> {
    return this.then(undefined, onError);
  }

  finally(onEnd?: (() => void) | null): Promise<Page<T>> {
    return this.then().finally(onEnd);
  }
}
