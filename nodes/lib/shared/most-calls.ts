import { LIMITS } from "../../../src/protocol/limits.ts";

/** How many calls the service takes in one operation. */
export const MOST_CALLS = LIMITS.transactionsPerOperation;
