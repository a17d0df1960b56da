import type { AlertOutcome, RaisedAlert } from "../types.ts";
import { alertIdOf } from "./ids.ts";
import { withPending } from "./pending.ts";
import { type RuleState, startedAt } from "./rule-state.ts";

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
