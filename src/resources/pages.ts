import type { QueryParameters } from "../http/index.ts";
import { fitting, isAnswerTooLarge, PageSize, TooLargeError } from "../paging/index.ts";
import { canonicalId, type Page } from "../protocol/index.ts";
import { isObject, listOf, resourceOf } from "./answers.ts";
import { AwaitedPage } from "./awaited-page.ts";
import { checkPaging } from "./checks.ts";

/**
 * A list: await it for its first page, or iterate it for all items of all pages. A page that is larger than one answer
 * can be is read in smaller ones: awaited, it is still whole; iterated, it is never in memory as a whole.
 * @throws {TooLargeError} `EVENT_TOO_LARGE`, `ITEM_TOO_LARGE` when a single item does not fit.
 */
export type Listing<T> = Promise<Page<T>> & AsyncIterable<T>;

export type Listed = {
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

  /** Up to `most` items, in pages as they arrive. */
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
      // An empty page that announces more would never end.
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
      last === undefined ? "" : `, after ${String((last as Record<string, unknown>)[`${noun}_id`])},`;
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
