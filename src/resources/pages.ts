import type { QueryParameters } from "../http/index.ts";
import { fitting, isAnswerTooLarge, PageSize, TooLargeError } from "../paging/index.ts";
import { canonicalId, type Page } from "../protocol/index.ts";
import { isObject, listOf, resourceOf } from "./answers.ts";
import { AwaitedPage } from "./awaited-page.ts";
import { checkPaging } from "./checks.ts";

/**
 * A list: await it for its first page, or iterate it for all items of all pages. Where a page is larger than an answer
 * may be, it is asked for in smaller ones: awaited it is whole all the same, iterated it is never held whole.
 * @throws {TooLargeError} `EVENT_TOO_LARGE`, `ITEM_TOO_LARGE` when not even one item fits.
 */
export type Listing<T> = Promise<Page<T>> & AsyncIterable<T>;

export type Listed = {
  /** What is listed, as in `channel`: each item has `channel_id`. */
  noun: string;
  filter: QueryParameters & { limit?: number | undefined; offset?: number | undefined };
  limits: { max: number; default: number };
  get: (query: QueryParameters) => Promise<unknown>;
};

/** Asks for the first page at once; iterating goes on from there. */
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
    // It may fail before anybody looks, who may iterate much later: that alone must not end the process.
    this.#first.catch(() => {});
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { data } of this.#parts()) yield* data;
  }

  protected async page(): Promise<Page<T>> {
    try {
      return await this.#first;
    } catch (error) {
      if (!isAnswerTooLarge(error)) throw error;
    }
    const data: T[] = [];
    let has_more = false;
    for await (const part of this.#parts(this.#limit)) {
      data.push(...part.data);
      has_more = part.has_more;
    }
    return { data, has_more };
  }

  /** So many items, or all, as they come. */
  async *#parts(most = Number.POSITIVE_INFINITY): AsyncGenerator<Page<T>, void, undefined> {
    const size = new PageSize(this.#limit);
    let first: Promise<Page<T>> | undefined = this.#first;
    let last: T | undefined;
    for (let count = 0; count < most; ) {
      const offset = this.#start + count;
      const ask = (limit: number) => {
        const page = first ?? this.#ask(offset, limit);
        first = undefined;
        return page;
      };
      const before = Number.isFinite(most) ? count : 0;
      const tooLarge = (cause: unknown) => this.#tooLarge({ offset, before, last, cause });
      const page = await fitting({ size, most: most - count, ask, tooLarge });
      yield page;
      count += page.data.length;
      last = page.data.at(-1);
      // An empty page that promises more would have us ask for ever.
      if (!page.has_more || page.data.length === 0) return;
    }
  }

  async #ask(offset: number, limit: number): Promise<Page<T>> {
    const { noun, filter, limits, get } = this.#listed;
    checkPaging(filter, limits);
    const ids = canonicalIds(filter);
    const answer = await get({ ...filter, ...ids, offset, ...(limit < this.#limit ? { limit } : {}) });
    const { data, has_more } = isObject(answer) ? answer : {};
    const items = listOf(data);
    return { data: items.map((item) => resourceOf<T>(item, `${noun}_id`)), has_more: has_more === true };
  }

  #tooLarge(at: { offset: number; before: number; last: T | undefined; cause: unknown }): TooLargeError {
    const { noun } = this.#listed;
    const { offset, before, last, cause } = at;
    const after =
      last === undefined ? "" : `, after ${String((last as Record<string, unknown>)[`${noun}_id`])}`;
    const earlier = before === 0 ? "" : ` For the ${before} before it, ask with limit ${before}.`;
    return new TooLargeError(
      noun === "event" ? "EVENT_TOO_LARGE" : "ITEM_TOO_LARGE",
      `The ${noun} at offset ${offset} of this list${after}, is larger than an answer may be.${earlier} To go on behind it, ask from offset ${offset + 1} on.`,
      { offset, cause },
    );
  }
}

/** The ids among the filters, as they are sent. */
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
