import type { AlertOutcome } from "../types.ts";
import { areSourceTimes, type SourceTime } from "./source-times.ts";

/** What a rule remembers besides its keys. It is JSON. */
export type RuleState = {
  v: 1;
  /** The event time of the first input, or of the first `readUpTo`. */
  since: number;
  /** Keys that were removed had nothing left to count up to this event time. */
  forgottenUpTo: number;
  /** How far the sources of its inputs have come. */
  sources?: SourceTime[];
  /** What may still be taken back: see `taken-back`. */
  watch?: unknown;
  pending?: AlertOutcome[];
  /** When people were last told that new keys are not counted, by the clock. */
  limitToldAt?: number;
};

/** Outcomes that are kept besides those of keys. */
export const MOST_PENDING_OF_RULE = 500;

export function isRuleState(value: unknown): value is RuleState {
  if (typeof value !== "object" || value === null) return false;
  const { v, since, forgottenUpTo, sources = [] } = value as Partial<Record<keyof RuleState, unknown>>;
  return v === 1 && Number.isFinite(since) && Number.isFinite(forgottenUpTo) && areSourceTimes(sources);
}

export function startedAt(since: number): RuleState {
  return { v: 1, since, forgottenUpTo: 0 };
}
