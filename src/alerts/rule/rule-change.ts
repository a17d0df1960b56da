import type { AlertOutcome, AlertSettings, Condition, ConditionSet } from "../types.ts";
import { Cells } from "./cells.ts";
import { closed, endQuiet } from "./incident.ts";
import { withPending } from "./pending.ts";
import { awaitedFrom, type KeyState, newState, UNAWAITED } from "./state.ts";

/**
 * The state of a key of a rule that was changed: its open alert is over, since nothing of the new rule would end it, and
 * its windows start again. The logs that it has seen raise no further alert.
 */
export function afterChange(
  state: KeyState,
  { settings, now, keepsPending }: { settings: AlertSettings; now: number; keepsPending: boolean },
): { state: KeyState; outcomes: AlertOutcome[] } {
  const { active, noEnd, suppressed } = state;
  const {
    parts: _parts,
    alertTimes: _times,
    alertRanges: _ranges,
    lastAt: _lastAt,
    noticed: _noticed,
    ended: _ended,
    from: _from,
    ...rest
  } = closed(state);
  const outcomes: AlertOutcome[] = [];
  if (active !== undefined && !noEnd) {
    outcomes.push({ kind: "ended", alert: { ...active, suppressed }, at: now });
  } else if (active !== undefined && suppressed > 0) {
    // What was held back is told now: the new rule would count it as its own.
    outcomes.push(...endQuiet(settings, state, now).outcomes);
  }
  const over = active === undefined ? {} : { over: { id: active.id, at: now } };
  const isAbsence = settings.when.kind === "absence";
  const changed: KeyState = {
    ...rest,
    ...over,
    ...(isAbsence && { from: UNAWAITED }),
    cells: Cells.empty(),
    suppressed: 0,
  };
  return { state: keepsPending ? withPending(changed, outcomes) : changed, outcomes };
}

/** The state of a key where it is not known how long it waited: an absence that was not told waits from now on. */
export function waitingFrom(state: KeyState, now: number): KeyState {
  const from = awaitedFrom(state);
  if (from === undefined || state.noticed === from) return state;
  return { ...state, newest: Math.min(state.newest, now), from: now };
}

/** The state of an absence that is awaited from a time on, unless it already is. */
export function watchedFrom(state: KeyState | undefined, since: number): KeyState {
  if (state === undefined) return { ...newState("", since), from: since };
  return state.from === UNAWAITED ? { ...state, from: since } : state;
}

/** What conditions compare, without the limits that they compare with: these may change while an alert is open. */
export function shapeOf(conditions: ConditionSet | readonly Condition[]): unknown {
  const isSet = "match" in conditions;
  const rows: readonly Condition[] = isSet ? conditions.conditions : conditions;
  const shapes = rows.map(({ field, is, not = false, value }) => [
    ...[field, is, not],
    ...(field === "name" ? [value] : []),
  ]);
  return [isSet ? conditions.match : "all", shapes];
}
