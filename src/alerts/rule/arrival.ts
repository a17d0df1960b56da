import { compareBlocks } from "../taken-back/log-place.ts";
import type { AlertInput, AlertOutcome, AlertSettings, PassedReason } from "../types.ts";
import type { Reading } from "./logs.ts";
import type { KeyState, StepContext } from "./state.ts";

/** The input of each kind of step: new, and not too late. */
export type Arrival = {
  settings: AlertSettings;
  state: KeyState;
  input: AlertInput;
  /** The event time, bounded. */
  at: number;
  /** A hash of the input's id. */
  id: string | undefined;
  context: StepContext;
};

/** What is reported besides the outcomes. */
export type StepWarning = "details" | "ahead";

export type Stepped = {
  /** The same object where nothing changed; undefined where nothing is to be remembered. */
  state: KeyState | undefined;
  passed: PassedReason | undefined;
  outcomes: AlertOutcome[];
  warnings: StepWarning[];
  /** See `Accepted`. */
  contradicts?: true;
};

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
