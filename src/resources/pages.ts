import type { Page } from "../protocol/index.ts";
import { badResponse, isObject, resourceOf } from "./answers.ts";

/** A list: await it for its first page, or iterate it for all items of all pages. */
export type Listing<T> = Promise<Page<T>> & AsyncIterable<T>;

/**
 * Asks for the first page at once; iterating goes on from there. `offset` is where it starts.
 * Every item must carry its id.
 */
export function listing<T>(
  idField: string,
  fetchPage: (offset: number) => Promise<unknown>,
  offset = 0,
): Listing<T> {
  const page = async (at: number): Promise<Page<T>> => asPage(await fetchPage(at), idField);
  const first = page(offset);
  // It may fail before anybody looks, who may iterate much later: that alone must not end the process.
  first.catch(() => {});
  return Object.assign(first, { [Symbol.asyncIterator]: () => walk(first, page, offset) });
}

async function* walk<T>(
  first: Promise<Page<T>>,
  fetchPage: (offset: number) => Promise<Page<T>>,
  start: number,
): AsyncGenerator<T, void, undefined> {
  let offset = start;
  for (let page = await first; ; page = await fetchPage(offset)) {
    yield* page.data;
    offset += page.data.length;
    // An empty page that promises more would have us ask for ever.
    if (!page.has_more || page.data.length === 0) return;
  }
}

/** The first item that matches, over all pages. */
export async function findIn<T>(
  items: AsyncIterable<T>,
  matches: (item: T) => boolean,
): Promise<T | undefined> {
  for await (const item of items) if (matches(item)) return item;
  return undefined;
}

function asPage<T>(answer: unknown, idField: string): Page<T> {
  const { data, has_more } = isObject(answer) ? answer : {};
  if (!Array.isArray(data)) throw badResponse("with something that is no list");
  return { data: data.map((item) => resourceOf<T>(item, idField)), has_more: has_more === true };
}
