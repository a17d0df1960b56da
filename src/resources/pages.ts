import { BadResponseError } from "../http/index.ts";
import type { Page } from "../protocol/index.ts";

/** A list: await it for its first page, or iterate it for all items of all pages. */
export type Listing<T> = Promise<Page<T>> & AsyncIterable<T>;

/** Asks for the first page at once; iterating goes on from there. `offset` is where it starts. */
export function listing<T>(fetchPage: (offset: number) => Promise<unknown>, offset = 0): Listing<T> {
  const page = async (at: number): Promise<Page<T>> => asPage(await fetchPage(at));
  const first = page(offset);
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

function asPage<T>(answer: unknown): Page<T> {
  const page = answer as Partial<Page<T>> | null | undefined;
  if (Array.isArray(page?.data)) return { data: page.data, has_more: page.has_more === true };
  throw notAList();
}

/** JSON, but not the list that was asked for. */
export function notAList(): BadResponseError {
  const message = "The service did not answer with a list. Check the base URL of the connection.";
  return new BadResponseError("BAD_RESPONSE", message);
}
