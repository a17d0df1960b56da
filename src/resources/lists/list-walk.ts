import { isAnswerTooLarge, PageSize, type TooLargeError, withAdaptivePageSize } from "../../paging/index.ts";
import type { Page } from "../../protocol/index.ts";

type WalkedList<T> = {
  /** The offset at which the list begins. */
  start: number;
  /** The size of a page, and the largest that the service takes. */
  limit: number;
  max: number;
  /** The first page, of `limit` items, which is already requested. */
  first: Promise<Page<T>>;
  ask: (offset: number, limit: number) => Promise<Page<T>>;
  idOf: (item: T) => string;
  tooLarge: (at: TooLargeAt) => TooLargeError;
};

/** The item that is too large: its offset, how many were read before it, and the id of the last one. */
export type TooLargeAt = { offset: number; before: number; last: string | undefined; cause: unknown };

/** A page, and the offset that it was requested at. */
type Placed<T> = Page<T> & { from: number };

/** No list is that long. All databases take it as an offset. */
const BEYOND_ALL = 2 ** 31 - 1;
/** A service whose pages so often do not continue what was read, without anything new, rounds offsets or the like. */
const MOST_ASTRAY = 16;

/**
 * The pages of a list that may change between them. A page proves that nothing is missing by an item that was read
 * before: so each is requested from the last item of the page before, which takes no further request where `limit` is
 * below `max`. A page without such an item has moved, because others before it were archived or created: then it is
 * dropped, and the list is read again from further ahead. What was read before is left out.
 *
 * Where the service keeps the order of the list, each item that is in it from the first page to the last comes once, and
 * any other at most once. Pages that can only have one item prove nothing; they are taken as they are.
 */
export class ListWalk<T> {
  readonly #list: WalkedList<T>;
  readonly #size: PageSize;
  readonly #seen = new Set<string>();
  #first: Promise<Page<T>> | undefined;
  /** Where the next page begins, without the item of the page before. */
  #at: number;
  #last: string | undefined;
  /** How far the search for what was read has last gone back; 0 while nothing is searched for. */
  #back = 0;
  #astray = 0;
  /** Whether pages can only have one item. */
  #isSingle = false;
  #keepsOffset: boolean | undefined;

  constructor(list: WalkedList<T>) {
    this.#list = list;
    this.#size = new PageSize(list.limit);
    this.#first = list.first;
    this.#at = list.start;
  }

  /** What is new on each page, as it arrives, up to `most` items. */
  async *pages(most = Number.POSITIVE_INFINITY): AsyncGenerator<Page<T>, void, undefined> {
    while (this.#seen.size < most) {
      const page = await this.#next(most);
      if (!this.#continues(page)) {
        this.#goBack();
        continue;
      }
      const left = most - this.#seen.size;
      const fresh = page.data.filter((item) => this.#isNew(item));
      // Where a list has grown at its front, a page that should begin with an item of the one before has one more.
      const data = fresh.slice(0, left);
      const has_more = page.has_more || data.length < fresh.length;
      yield { data, has_more };
      // An empty page that announces more would never end.
      if (!has_more || page.data.length === 0) return;
      if (data.length === 0 && (await this.#ignoresOffset())) return;
      this.#goOn(page, data.length);
    }
  }

  #next(most: number): Promise<Placed<T>> {
    const before = Number.isFinite(most) ? this.#seen.size : 0;
    return withAdaptivePageSize({
      size: this.#size,
      most: most - this.#seen.size,
      ask: (limit) => this.#ask(limit),
      tooLarge: (cause) => this.#list.tooLarge({ offset: this.#at, before, last: this.#last, cause }),
    });
  }

  async #ask(limit: number): Promise<Placed<T>> {
    const { start, max, ask } = this.#list;
    const [at, first] = [this.#at, this.#first];
    this.#first = undefined;
    if (first !== undefined) return { ...(await first), from: at };
    if (at > start && !this.#isSingle && this.#astray < MOST_ASTRAY)
      try {
        return { ...(await ask(at - 1, Math.min(limit + 1, max))), from: at - 1 };
      } catch (error) {
        if (limit > 1 || !isAnswerTooLarge(error)) throw error;
        this.#isSingle = true;
      }
    return { ...(await ask(at, limit)), from: at };
  }

  /** Whether nothing can be missing between what was read and this page. */
  #continues({ from, data }: Placed<T>): boolean {
    if (from === this.#list.start) return true;
    if (from === this.#at && this.#back === 0) return true;
    return data.some((item) => this.#seen.has(this.#list.idOf(item)));
  }

  /** Further with each page, so that it takes few, however many were archived. In the end, it takes pages as they come. */
  #goBack(): void {
    const { start } = this.#list;
    if (this.#back === 0) this.#astray += 1;
    const isOver = this.#astray === MOST_ASTRAY;
    this.#back = isOver ? 0 : Math.max(this.#size.limit, 2 * this.#back);
    this.#at = isOver ? start : Math.max(start, this.#at - this.#back);
  }

  #goOn({ from, data }: Placed<T>, fresh: number): void {
    const { idOf, limit } = this.#list;
    this.#at = from + data.length;
    this.#back = 0;
    this.#last = data.map(idOf).at(-1);
    if (fresh > 0 && this.#astray < MOST_ASTRAY) this.#astray = 0;
    // Of two items that were requested, one came.
    if (data.length === 1 && fresh === 0) this.#isSingle = true;
    else if (data.length > 1 || limit === 1) this.#isSingle = false;
  }

  #isNew(item: T): boolean {
    const { size } = this.#seen;
    return this.#seen.add(this.#list.idOf(item)).size > size;
  }

  /** Whether the service sends the same page at each offset: that would never end. */
  async #ignoresOffset(): Promise<boolean> {
    this.#keepsOffset ??= await this.#list.ask(BEYOND_ALL, 1).then(
      ({ data }) => data.length === 0,
      () => true,
    );
    return !this.#keepsOffset;
  }
}
