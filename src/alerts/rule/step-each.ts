import type { AlertOutcome } from "../types.ts";
import type { Arrival, Stepped } from "./arrival.ts";
import { identified, withMark } from "./marks.ts";
import { alertInMark, alertOf, overIn, raisedIn } from "./raise.ts";
import { isQuiet, type KeyState, type Mark } from "./state.ts";

/** Each input that matches is an alert, unless there was one just before. */
export function stepEach(arrival: Arrival): Stepped {
  const { settings, state, at } = arrival;
  const present = { ...state, newest: Math.max(state.newest, at) };
  return isQuiet(settings, state, at) ? heldBack(arrival, present) : raised(arrival, present);
}

/**
 * With the end of the condition as an outcome, an input says whether the condition holds, as a balance does. The newest
 * input of a key decides; an older one that comes later changes nothing.
 */
export function stepWhileHolding(arrival: Arrival): Stepped {
  const { settings, state, input, at, id } = arrival;
  const isOlder = at < state.newest;
  const present = { ...state, newest: Math.max(state.newest, at) };
  if (!input.matches) {
    const seen = withoutAlert(arrival, present);
    if (isOlder || state.active === undefined) return passedAs("no_match", seen);
    const outcome: AlertOutcome = { kind: "recovered", alert: state.active, at };
    const ended = id === undefined ? {} : { ended: { by: id, alert: state.active, at } };
    return { ...passedAs("no_match", { ...overIn(seen), ...ended }), outcomes: [outcome] };
  }
  if (isOlder && state.active === undefined) return passedAs("too_late", withoutAlert(arrival, present));
  const isHeldBack = isOlder || isQuiet(settings, state, at);
  const isReported = state.active !== undefined && settings.quietMs <= 0;
  return isHeldBack || isReported ? heldBack(arrival, present) : raised(arrival, present);
}

function raised(arrival: Arrival, present: KeyState): Stepped {
  const { settings, input, at, context } = arrival;
  const counted = { count: 1, suppressed: present.suppressed };
  const { alert, warnings } = alertOf(input, present, counted, { ...context, at });
  const mark = { n: 1, alert: alertInMark(alert, counted) };
  const state = raisedIn(remembered(arrival, present, mark), alert, settings);
  return { state, passed: undefined, outcomes: [{ kind: "alert", alert }], warnings };
}

function heldBack(arrival: Arrival, present: KeyState): Stepped {
  return passedAs("quiet", { ...withoutAlert(arrival, present), suppressed: present.suppressed + 1 });
}

function passedAs(passed: Stepped["passed"], state: KeyState): Stepped {
  return { state, passed, outcomes: [], warnings: [] };
}

const withoutAlert = (arrival: Arrival, present: KeyState) => remembered(arrival, present, { n: 0 });

/** Only what has an id can come again. */
function remembered(arrival: Arrival, state: KeyState, mark: Pick<Mark, "n" | "alert">): KeyState {
  if (arrival.id === undefined) return state;
  return {
    ...state,
    marks: withMark(state.marks, { at: arrival.at, ...identified(arrival), ...mark }).marks,
  };
}
