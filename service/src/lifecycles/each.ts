import type { Log } from "../log.ts";
import { messageOf } from "../problem.ts";

/** Works on each item in turn. One in trouble holds up no other, and has another go at the next beat. */
export async function each<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
  trouble: { log: Log; with: (item: T) => string },
): Promise<void> {
  for (const item of items) {
    try {
      await work(item);
    } catch (error) {
      trouble.log.warn(`Trouble with ${trouble.with(item)}: ${messageOf(error)}`);
    }
  }
}
