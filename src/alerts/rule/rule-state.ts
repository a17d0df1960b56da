import type { WatchState } from "../taken-back/index.ts";
import type { AlertOutcome, RaisedAlert } from "../types.ts";
import { alertIdOf } from "./ids.ts";
import { type Pending, withPending } from "./pending.ts";
import { areSourceTimes, type SourceTime } from "./rule-clock.ts";
import { areRuleUses, type RuleUses } from "./rule-uses.ts";

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

const HOUR_MS = 60 * 60_000;

/** An alert of the rule itself: it no longer counts new keys. At most one an hour, of all copies together. */
export function tellLimit(
  state: RuleState | undefined,
  context: { ruleId: string; now: number; keepsPending: boolean; count: number },
): { state: RuleState | undefined; outcomes: AlertOutcome[] } {
  const { ruleId, now, keepsPending, count } = context;
  // A clock may have been set back.
  const isTold = state?.limitToldAt !== undefined && Math.abs(now - state.limitToldAt) < HOUR_MS;
  if (isTold) return { state, outcomes: [] };
  const id = alertIdOf(ruleId, "", `limit ${now}`);
  const alert: RaisedAlert = { id, key: "", at: now, count, suppressed: 0, limit: "maxKeys" };
  const outcomes: AlertOutcome[] = [{ kind: "alert", alert }];
  const known = state ?? startedAt(now);
  const kept = keepsPending ? withPending(known, outcomes) : known;
  return { state: { ...kept, limitToldAt: now }, outcomes };
}
