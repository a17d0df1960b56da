import { compareBlocks } from "../taken-back/compare.ts";
import type { Arrival } from "./arrival.ts";
import type { Reading } from "./logs.ts";
import type { KeyState } from "./state.ts";

/**
 * Whether the newest input of a key was of a later time or, at the same time, of a later place in the chain. Where that
 * is not known, the one that came last is the newest.
 */
export function isOlder({ state, input, at, context }: Arrival): boolean {
  const { newest, last } = state;
  if (at !== newest) return at < newest;
  if (last === undefined || input.log?.chainSelector !== last.chain || context.log === undefined)
    return false;
  const [[block = "", index = ""], [lastBlock = "", lastIndex = ""]] = [
    context.log.place.split(" "),
    last.place.split(" "),
  ];
  return (compareBlocks(block, lastBlock) || compareBlocks(index, lastIndex)) < 0;
}

/** The state in which this input is the newest, unless it is older. */
export function withNewest(arrival: Arrival): KeyState {
  const { state, input, at, context } = arrival;
  if (isOlder(arrival)) return state;
  const { last: _last, ...others } = state;
  if (context.log === undefined || input.log === undefined) return { ...others, newest: at };
  const { place, tx, says } = context.log;
  return { ...others, newest: at, last: { chain: input.log.chainSelector, place, tx, says } };
}

/** Whether the newest input is another reading of this log. It need not have matched. */
export function isOtherThanLast({ newest, last }: KeyState, { place, at, tx, says }: Reading): boolean {
  return last?.place === place && newest === at && last.tx === tx && last.says !== says;
}
