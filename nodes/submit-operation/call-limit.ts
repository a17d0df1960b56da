import { LIMITS } from "../../src/protocol/limits.ts";

/** How many calls the service accepts in one operation. */
export const MAX_CALLS = LIMITS.transactionsPerOperation;

/** The error about too many calls; `undefined` if an operation can hold them. */
export function callCountProblem(count: number): string | undefined {
  if (count <= MAX_CALLS) return undefined;
  return `An operation holds at most ${MAX_CALLS} calls, not ${count}. Split it.`;
}
