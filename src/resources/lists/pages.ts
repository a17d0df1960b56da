import type { QueryParameters } from "../../http/index.ts";
import { isAnswerTooLarge, TooLargeError } from "../../paging/index.ts";
import { canonicalId, type Page } from "../../protocol/index.ts";
import { checkPaging, isObject, listOf, resourceOf } from "../requests/checks.ts";
import { ListWalk, type TooLargeAt } from "./list-walk.ts";

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

/**
 * A list: await it for its first page, or iterate it for all items of all pages. Iterated, an item that is in the list
 * all the time comes once, and one that is created or archived meanwhile at most once. A page that is larger than one answer
 * can be is read in smaller ones: awaited, it is still whole; iterated, it is never in memory as a whole.
 * @throws {TooLargeError} `EVENT_TOO_LARGE`, `ITEM_TOO_LARGE` when a single item does not fit.
 */
export type Listing<T> = Promise<Page<T>> & AsyncIterable<T>;

type Listed = {
  /** What an item is, such as `channel`: each item then has `channel_id`. */
  noun: string;
  filter: QueryParameters & { limit?: number | undefined; offset?: number | undefined };
  limits: { max: number; default: number };
  get: (query: QueryParameters) => Promise<unknown>;
};

/** Requests the first page immediately; iterating continues from there. */
export function listing<T>(listed: Listed): Listing<T> {
  return new Pages<T>(listed);
}

class Pages<T> extends AwaitedPage<T> {
  readonly #listed: Listed;
  readonly #start: number;
  readonly #limit: number;
  readonly #first: Promise<Page<T>>;

  constructor(listed: Listed) {
    super();
    const { filter, limits } = listed;
    this.#listed = listed;
    this.#start = filter.offset ?? 0;
    this.#limit = filter.limit ?? limits.default;
    this.#first = this.#ask(this.#start, this.#limit);
    // It may fail before the caller awaits or iterates it: that alone must not end the process.
    this.#first.catch(() => {});
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { data } of this.#walk().pages()) yield* data;
  }

  protected async page(): Promise<Page<T>> {
    try {
      return await this.#first;
    } catch (error) {
      if (!isAnswerTooLarge(error)) throw error;
    }
    const data: T[] = [];
    let has_more = false;
    for await (const part of this.#walk().pages(this.#limit)) {
      data.push(...part.data);
      has_more = part.has_more;
    }
    return { data, has_more };
  }

  #walk(): ListWalk<T> {
    const idField = `${this.#listed.noun}_id`;
    return new ListWalk({
      start: this.#start,
      limit: this.#limit,
      max: this.#listed.limits.max,
      first: this.#first,
      ask: (offset, limit) => this.#ask(offset, limit),
      idOf: (item) => String((item as Record<string, unknown>)[idField]),
      tooLarge: (at) => this.#tooLarge(at),
    });
  }

  async #ask(offset: number, limit: number): Promise<Page<T>> {
    const { noun, filter, limits, get } = this.#listed;
    checkPaging(filter, limits);
    const ids = canonicalIds(filter);
    const answer = await get({ ...filter, ...ids, offset, ...(limit === this.#limit ? {} : { limit }) });
    const { data, has_more } = isObject(answer) ? answer : {};
    const items = listOf(data);
    return { data: items.map((item) => resourceOf<T>(item, `${noun}_id`)), has_more: has_more === true };
  }

  #tooLarge({ offset, before, last, cause }: TooLargeAt): TooLargeError {
    const { noun } = this.#listed;
    const after = last === undefined ? "" : `, after ${last},`;
    const earlier = before === 0 ? "" : ` To read the ${before} before it, use limit ${before}.`;
    return new TooLargeError(
      noun === "event" ? "EVENT_TOO_LARGE" : "ITEM_TOO_LARGE",
      `The ${noun} at offset ${offset} of this list${after} is larger than an answer can be.${earlier} To skip it, continue from offset ${offset + 1}.`,
      { offset, cause },
    );
  }
}

/** The ids among the filters, in the form that is sent. */
function canonicalIds(filter: QueryParameters): QueryParameters {
  const ids = Object.entries(filter).flatMap(
    ([name, value]): Array<[string, string]> =>
      name.endsWith("_id") && typeof value === "string" ? [[name, canonicalId(value)]] : [],
  );
  return Object.fromEntries(ids);
}

/** The first item that matches, over all pages. */
export async function findIn<T>(
  items: AsyncIterable<T>,
  matches: (item: T) => boolean,
): Promise<T | undefined> {
  for await (const item of items) if (matches(item)) return item;
  return undefined;
}
