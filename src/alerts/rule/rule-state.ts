import type { WatchState } from "../taken-back/index.ts";
import type { Pending } from "./pending.ts";
import { areRuleUses, type RuleUses } from "./rule-uses.ts";
import { areSourceTimes, type SourceTime } from "./source-times.ts";

/** What a rule remembers besides its keys. See `rule-form.ts` for its JSON. */
export type RuleState = {
  v: 1;
  /** The event time of the first input, or of the first `readUpTo`. */
  since: number;
  /** Keys that were removed had nothing left to count up to this event time. */
  forgottenUpTo: number;
  /** How far the sources of its inputs have come. */
  sources?: SourceTime[];
  /** What may still be taken back: see `taken-back`. */
  watch?: WatchState;
  pending?: Pending;
  /** Of the rule that wrote this: see `AlertRuleOptions`. */
  fingerprint?: string;
  /** In a shared store: the rules that copies have. */
  uses?: RuleUses;
  /** When one of them left last. */
  leftAt?: number;
  /** A person has stopped the rule, for an unknown time. */
  isSuspended?: boolean;
  /** By how much the machine's clock was ahead of what was believed. */
  heldMs?: number;
  /** When people were last told that new keys are not counted, by the clock. */
  limitToldAt?: number;
};

export function isRuleState(
  value: unknown,
): value is Omit<RuleState, "watch" | "pending"> & { watch?: unknown; pending?: unknown } {
  if (typeof value !== "object" || value === null) return false;
  const {
    v,
    since,
    forgottenUpTo,
    sources = [],
    uses = [],
  } = value as Partial<Record<keyof RuleState, unknown>>;
  const areTimes = Number.isFinite(since) && Number.isFinite(forgottenUpTo);
  return v === 1 && areTimes && areSourceTimes(sources) && areRuleUses(uses);
}

export function startedAt(since: number): RuleState {
  return { v: 1, since, forgottenUpTo: 0 };
}
