import { FundsProblem } from "../chain/funds.ts";
import { isUnreachable } from "../chain/node/refusals.ts";
import { messageOf } from "../errors.ts";
import type { Log } from "../log.ts";

/** Items that are worked on concurrently: they mostly wait for the node. */
const CONCURRENCY = 16;

/** Works on all items, started in their order. One that fails does not delay the others; it is retried at the next tick. */
export async function each<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
  report: { log: Log; with: (item: T) => string },
): Promise<void> {
  const rest = [...items].values();
  const worker = async () => {
    for (const item of rest) {
      try {
        await work(item);
      } catch (error) {
        // Missing coins are logged once for all.
        if (error instanceof FundsProblem) continue;
        // So is an unreachable chain.
        if (isUnreachable(error)) continue;
        report.log.warn(`Error with ${report.with(item)}: ${messageOf(error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}
