import { FundsProblem } from "../chain/funds.ts";
import { isUnreachable } from "../chain/node/refusals.ts";
import type { Log } from "../log.ts";
import { messageOf } from "../problem.ts";

/** So many at once: what an item waits for is mostly the node's answer. */
const AT_ONCE = 16;

/** Works on all items, begun in their order. One that fails does not delay the others, and is tried again at the next tick. */
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
        // Missing coins are told of once, for all.
        if (error instanceof FundsProblem) continue;
        // So is a chain that does not answer.
        if (isUnreachable(error)) continue;
        report.log.warn(`Error with ${report.with(item)}: ${messageOf(error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
