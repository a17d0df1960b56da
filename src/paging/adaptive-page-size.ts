import { CrecError } from "../errors.ts";
import type { PageSize } from "./page-size.ts";
import { isAnswerTooLarge } from "./too-large.ts";

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
