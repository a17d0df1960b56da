import type { QueryErrorCode } from "../../../src/protocol/index.ts";
import type { CallAnswer } from "../../../src/testing/statements.ts";
import type { Block } from "../chain/chain-data.ts";

/** What a call returned, or why not. */
export type Result = CallAnswer;
/** The same, with the block that it is about where there is one. */
export type Outcome = { resolved?: Block } & Result;

export function failure(code: QueryErrorCode, message: string): Extract<Result, { error: unknown }> {
  return { error: { code, message } };
}
