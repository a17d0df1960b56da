import type { AlertOutcome, AlertSettings, RaisedAlert } from "../types.ts";
import { alertIdOf } from "./ids.ts";
import { withPending } from "./pending.ts";
import { overIn, raisedIn } from "./raise.ts";
import { horizonMs, isOfState, type KeyState, REMEMBER_EACH_MS, type StepContext } from "./state.ts";
import { endOfReached, isWindowed } from "./window.ts";

export type Passed = { state: KeyState | undefined; outcomes: AlertOutcome[] };

/** The event time up to which all inputs were given, and the one by which keys may be removed; undefined for none. */
export type PassedTime = { time: number; over: number | undefined };

/** What the passing of time changes. Pure, as `step` is. */
export function passTime(
  settings: AlertSettings,
  state: KeyState,
  passed: PassedTime,
  context: StepContext,
): Passed {
  const { state: changed, outcomes } = decided(settings, state, passed.time, context);
  const kept = context.keepsPending ? withPending(changed, outcomes) : changed;
  const over = overAt(settings, kept);
  const isOver = over !== undefined && passed.over !== undefined && over <= passed.over;
  return { state: isOver ? undefined : kept, outcomes };
}

function decided(
  settings: AlertSettings,
  state: KeyState,
  readUpTo: number,
  context: StepContext,
): { state: KeyState; outcomes: AlertOutcome[] } {
  const recovered = recoveredAt(settings, state, context.since);
  if (state.active !== undefined && recovered !== undefined && recovered <= readUpTo) {
    return {
      state: overIn(state),
      outcomes: [{ kind: "recovered", alert: state.active, at: recovered }],
    };
  }
  const absent = absentAt(settings, state);
  if (absent === undefined || absent > readUpTo) return { state, outcomes: [] };
  const trigger = `absent since ${state.newest} ${state.raised}`;
  const alert: RaisedAlert = {
    id: alertIdOf(context.ruleId, context.recordKey, trigger),
    key: state.key,
    at: readUpTo,
    count: 0,
    suppressed: 0,
  };
  return { state: raisedIn(state, alert, settings), outcomes: [{ kind: "alert", alert }] };
}

/** When time alone leads to an outcome; undefined where only an input does. */
export function dueAt(settings: AlertSettings, state: KeyState, since: number): number | undefined {
  const times = [recoveredAt(settings, state, since), absentAt(settings, state)];
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

function recoveredAt(settings: AlertSettings, state: KeyState, since: number): number | undefined {
  if (!isWindowed(settings) || !settings.recovers || state.active === undefined) return undefined;
  return endOfReached(settings.when, state, since) ?? state.newest;
}

/** An absence that lasts is an alert again after each quiet time, where its end is an outcome. */
function absentAt(settings: AlertSettings, state: KeyState): number | undefined {
  if (settings.when.kind !== "absence") return undefined;
  const isReported = state.active !== undefined;
  if (isReported && (!settings.recovers || settings.quietMs <= 0)) return undefined;
  const last = state.alertTimes?.at(-1);
  const quietUntil = last === undefined ? 0 : last + settings.quietMs;
  return Math.max(state.newest + settings.when.forMs, quietUntil);
}

/** From when on the key has nothing left that can count. */
export function overAt(settings: AlertSettings, state: KeyState): number | undefined {
  if ((state.pending?.length ?? 0) > 0) return undefined;
  // Of an absence whose end is no outcome, the alert says only that it was reported.
  const isAwaited =
    settings.when.kind === "absence" ? state.active === undefined || settings.recovers : state.active;
  if (isAwaited) return undefined;
  const horizon = horizonMs(settings);
  const last = state.alertTimes?.at(-1) ?? 0;
  // A late input may still be within the quiet time.
  const quietUntil = settings.quietMs > 0 ? last + settings.quietMs + horizon : last;
  const rememberedUntil = isOfState(settings) ? last + REMEMBER_EACH_MS : last;
  return Math.max(state.newest + horizon + 1, quietUntil, rememberedUntil);
}
