import { CrecError } from "../errors.ts";

/** One item that is larger than an answer can be: `EVENT_TOO_LARGE` for an event, `ITEM_TOO_LARGE` for anything else. */
export class TooLargeError extends CrecError {
  override readonly name = "TooLargeError";
  /** Where the item is: its position in a list or search; in a channel, the lowest offset that it can have. */
  readonly offset: number | undefined;

  constructor(
    code: "EVENT_TOO_LARGE" | "ITEM_TOO_LARGE",
    message: string,
    details: { offset: number | undefined; cause: unknown; retryable?: boolean },
  ) {
    super(code, message, details);
    this.offset = details.offset;
  }
}

/** Whether an answer was larger than allowed: fewer items may fit. */
export function isAnswerTooLarge(error: unknown): boolean {
  return error instanceof CrecError && error.code === "RESPONSE_TOO_LARGE";
}

/** After at most this many pages, a larger size is tried again. */
const MAX_PAGES_BEFORE_TRIAL = 64;

/** How many items to request: half as many after an answer that was too large or too slow, then gradually more. */
export class PageSize {
  readonly #max: number;
  #limit: number;
  /** How many pages must fit before a larger size is tried. */
  #pagesBeforeTrial = 1;
  #pages = 0;
  #isTrial = false;

  constructor(max: number) {
    this.#max = max;
    this.#limit = max;
  }

  get limit(): number {
    return this.#limit;
  }

  /** An answer with this many items was too large. Returns whether fewer can be requested. */
  failed(requested = this.#limit): boolean {
    if (this.#isTrial) this.#pagesBeforeTrial = Math.min(MAX_PAGES_BEFORE_TRIAL, 4 * this.#pagesBeforeTrial);
    this.#isTrial = false;
    this.#pages = 0;
    this.#limit = Math.max(1, Math.floor(requested / 2));
    return requested > 1;
  }

  /** An answer of the current size was fine. */
  succeeded(): void {
    this.#isTrial = false;
    if (this.#limit === this.#max) {
      this.#pagesBeforeTrial = 1;
      return;
    }
    this.#pages += 1;
    if (this.#pages < this.#pagesBeforeTrial) return;
    this.#pages = 0;
    this.#limit = Math.min(this.#max, 2 * this.#limit);
    this.#isTrial = true;
  }
}

type Asking<T> = {
  /** Remembers the size that fits, from one call to the next. */
  size: PageSize;
  /** Never more items than this. */
  most?: number;
  ask: (limit: number) => Promise<T>;
  /** Makes the error of one item that is too large by itself. */
  tooLarge: (cause: unknown) => CrecError;
};

/**
 * An answer that fits: while it is too large, it is requested again with half as many items, down to one. A time-out is
 * thrown, since the network can be its cause; the next call then requests fewer items.
 */
export async function withAdaptivePageSize<T>({
  size,
  most = Number.POSITIVE_INFINITY,
  ask,
  tooLarge,
}: Asking<T>): Promise<T> {
  for (;;) {
    const limit = Math.min(size.limit, most);
    try {
      const answer = await ask(limit);
      size.succeeded();
      return answer;
    } catch (error) {
      if (error instanceof CrecError && error.code === "TIMEOUT") size.failed(limit);
      if (!isAnswerTooLarge(error)) throw error;
      if (!size.failed(limit)) throw tooLarge(error);
    }
  }
}
