import type { Page } from "../../protocol/index.ts";

/** A list: its first page when it is awaited, all its items when it is iterated. */
export abstract class AwaitedPage<T> implements Promise<Page<T>>, AsyncIterable<T> {
  readonly [Symbol.toStringTag] = "Listing";
  #page: Promise<Page<T>> | undefined;

  abstract [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined>;

  /** Called once, and only when the list is awaited. */
  protected abstract page(): Promise<Page<T>>;

  // biome-ignore lint/suspicious/noThenProperty: a page that takes several calls is only put together when it is awaited
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
