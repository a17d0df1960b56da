import type { AlertOutcome, AlertSettings, RaisedAlert } from "../types.ts";
import { alertIdOf } from "./ids.ts";
import {
  countedIn,
  endAt,
  endQuiet,
  heldBackIn,
  isHeldOver,
  lastHeldAt,
  matchAt,
  quietEndOf,
  toldIn,
} from "./incident.ts";
import { hasPending, withPending } from "./pending.ts";
import { awaitedFrom, horizonMs, isOfState, type KeyState, newState, type StepContext } from "./state.ts";
import { stepByTime } from "./step-window.ts";
import { endOfReached, isWindowed, partsUntil, reachedByTime } from "./window.ts";

type Passed = { state: KeyState | undefined; outcomes: AlertOutcome[] };

/** The event time up to which all inputs were given, and the one by which keys may be removed; undefined for none. */
type PassedTime = { time: number; over: number | undefined };

/** What the passing of time changes. Pure, as `step` is. */
export function passTime(
  settings: AlertSettings,
  state: KeyState,
  passed: PassedTime,
  context: StepContext,
): Passed {
  const { state: changed, outcomes } = decided(settings, state, passed.time, context);
  const kept = context.keepsPending ? withPending(changed, outcomes) : changed;
  return { state: passed.over === undefined ? kept : remaining(settings, kept, passed.over), outcomes };
}

function decided(
  settings: AlertSettings,
  state: KeyState,
  readUpTo: number,
  context: StepContext,
): { state: KeyState; outcomes: AlertOutcome[] } {
  const recovered = recoveredAt(settings, state, context.since) ?? Number.POSITIVE_INFINITY;
  const absent = absentAt(settings, state) ?? Number.POSITIVE_INFINITY;
  const quiet = quietEndOf(settings, state) ?? Number.POSITIVE_INFINITY;
  const reached = reachedByTime(settings.when, state);
  const first = Math.min(recovered, absent, quiet, reached?.from ?? Number.POSITIVE_INFINITY);
  if (first > readUpTo) return { state, outcomes: [] };
  if (first === recovered) return endAt(settings, state, recovered);
  if (first === quiet) return endQuiet(settings, state, quiet);
  if (reached !== undefined && isWindowed(settings)) return stepByTime(settings, state, reached, context);
  return noticed(settings, state, readUpTo, context);
}

/** An absence is a match. While it lasts, it is one again at the end of each quiet time. */
function noticed(
  settings: AlertSettings,
  before: KeyState,
  at: number,
  context: StepContext,
): { state: KeyState; outcomes: AlertOutcome[] } {
  const since = awaitedFrom(before) ?? at;
  const state = { ...before, noticed: since };
  const told = matchAt(settings, state, at);
  if (told === undefined) return { state: countedIn(state, at), outcomes: [] };
  const trigger = `absent since ${since} ${state.raised}`;
  const alert: RaisedAlert = {
    id:
      (told === "reminder" ? state.active?.id : undefined) ??
      alertIdOf(context.ruleId, context.recordKey, trigger),
    key: state.key,
    at,
    count: 0,
    ...heldBackIn(state, told),
  };
  return {
    state: toldIn(state, alert, { settings, before }),
    outcomes: [{ kind: "alert", alert }],
  };
}

/** When time alone leads to an outcome; undefined where only an input does. */
export function dueAt(settings: AlertSettings, state: KeyState, since: number): number | undefined {
  const times = [
    ...[recoveredAt(settings, state, since), absentAt(settings, state), quietEndOf(settings, state)],
    reachedByTime(settings.when, state)?.from,
  ];
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

function recoveredAt(settings: AlertSettings, state: KeyState, since: number): number | undefined {
  if (!isWindowed(settings) || !settings.recovers) return undefined;
  if (state.active === undefined || isHeldOver(state)) return undefined;
  return endOfReached(settings.when, state, since) ?? lastHeldAt(state);
}

/** An absence that lasts is told again after each quiet time, where its end is an outcome. */
function absentAt(settings: AlertSettings, state: KeyState): number | undefined {
  const { when, recovers, quietMs, summarizes = true } = settings;
  if (when.kind !== "absence") return undefined;
  const from = awaitedFrom(state);
  const last = state.alertTimes?.at(-1);
  if (from === undefined) return undefined;
  if (!isNoticed(state)) {
    // Without an end and summaries, nothing later would tell one that fell into the quiet time.
    const isPutOff = !recovers && !summarizes && last !== undefined;
    return Math.max(from + when.forMs, isPutOff ? last + quietMs : 0);
  }
  const isTold = state.suppressed === 0 && state.held === undefined;
  return isTold && recovers && quietMs > 0 && last !== undefined ? last + quietMs : undefined;
}

/** An older version did not say for which time it had noticed an absence. */
function isNoticed(state: KeyState): boolean {
  const { noticed, active } = state;
  return noticed === undefined ? active !== undefined : noticed === awaitedFrom(state);
}

/** What remains of a key once all inputs up to an event time were given; undefined for nothing. */
export function remaining(settings: AlertSettings, state: KeyState, at: number): KeyState | undefined {
  // What was held back is told first.
  if (quietEndOf(settings, state) !== undefined || reachedByTime(settings.when, state)) return state;
  if (at < (idleAt(settings, state) ?? Number.POSITIVE_INFINITY)) return state;
  if (at >= (overAt(settings, state) ?? Number.POSITIVE_INFINITY)) return undefined;
  if (state.isPast) return state;
  const { v, key, newest, raised, parts = [] } = state;
  // What comes again is known to be old.
  const floor = Math.max(state.floor ?? 0, at - horizonMs(settings));
  return { ...newState(key, newest), v, raised, parts, floor, isPast: true };
}

/** From when on the key has nothing left that can count. A rate is compared with its past for longer. */
export function overAt(settings: AlertSettings, state: KeyState): number | undefined {
  const idle = idleAt(settings, state);
  if (idle === undefined || settings.when.kind !== "rate") return idle;
  return Math.max(idle, partsUntil(settings.when, state.parts) + settings.slackMs);
}

/** From when on the key has nothing left but its past. */
export function idleAt(settings: AlertSettings, state: KeyState): number | undefined {
  // What other copies count is decided by them.
  if (hasPending(state) || state.aside !== undefined) return undefined;
  const from = awaitedFrom(state);
  const isAwaited =
    settings.when.kind === "absence"
      ? from !== undefined && (settings.recovers || !isNoticed(state))
      : settings.recovers && state.active !== undefined;
  if (isAwaited) return undefined;
  const horizon = horizonMs(settings);
  const last = state.alertTimes?.at(-1) ?? 0;
  // A late input may still be within the quiet time.
  const quietUntil = settings.quietMs > 0 ? last + settings.quietMs + horizon : last;
  // An input that states that the condition does not hold counts as long as others may be late.
  const remembered = isOfState(settings)
    ? Math.max(0, state.logs.newestAt)
    : Math.max(state.newest, from ?? 0);
  return Math.max(remembered + horizon + 1, state.newest + settings.slackMs + 1, quietUntil, last);
}
