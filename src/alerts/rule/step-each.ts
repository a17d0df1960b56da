import type { Arrival, Stepped } from "./arrival.ts";
import { countedIn, endAt, heldBackIn, matchAt, type Told, toldIn } from "./incident.ts";
import { identified } from "./logs.ts";
import { isOlder, withNewest } from "./newest.ts";
import { alertInMark, alertOf } from "./raise.ts";
import { isQuiet, type KeyState, type Mark } from "./state.ts";

/** Each input that matches is an alert, unless there was one just before. */
export function stepEach(arrival: Arrival): Stepped {
  const { state, at } = arrival;
  return matched(arrival, { ...state, newest: Math.max(state.newest, at) });
}

/**
 * With the end of the condition as an outcome, an input says whether the condition holds, as a balance does. The newest
 * input of a key decides. An older one that matches is an alert that is over at once, or only counted where it is close
 * to another alert.
 */
export function stepWhileHolding(arrival: Arrival): Stepped {
  const { settings, state, input, at, id } = arrival;
  const { matches, ends = !matches, subject } = input;
  const present = withNewest(arrival);
  if (matches) {
    const isOver = isOlder(arrival) && state.active === undefined;
    if (isOver && isQuiet(settings, state, at)) return onlyCounted(arrival, present);
    const stepped = matched(arrival, present);
    if (!isOver || stepped.state === undefined) return stepped;
    const ended = endAt(settings, stepped.state, present.newest);
    return { ...stepped, state: ended.state, outcomes: [...stepped.outcomes, ...ended.outcomes] };
  }
  const isOther = state.subject !== undefined && subject !== undefined && state.subject !== subject;
  if (!ends || isOlder(arrival) || isOther || state.active === undefined)
    return passedAs("no_match", present);
  const { state: after, outcomes } = endAt(settings, present, at);
  const isTold = outcomes.length > 0 && id !== undefined;
  const by = isTold ? { ended: { by: id, alert: state.active, at } } : {};
  return { ...passedAs("no_match", { ...after, ...by }), outcomes };
}

function matched(arrival: Arrival, present: KeyState): Stepped {
  const told = matchAt(arrival.settings, arrival.state, arrival.at);
  return told === undefined ? onlyCounted(arrival, present) : tell(arrival, present, told);
}

function onlyCounted(arrival: Arrival, present: KeyState): Stepped {
  return passedAs("quiet", countedIn(remembered(arrival, present, { n: 0 }), arrival.at, isOlder(arrival)));
}

function tell(arrival: Arrival, present: KeyState, told: NonNullable<Told>): Stepped {
  const { settings, input, at, context, state: before } = arrival;
  const counted = { count: 1, ...heldBackIn(present, told) };
  const id = told === "reminder" ? present.active?.id : undefined;
  const { alert, warnings } = alertOf(input, present, counted, { ...context, at, id });
  const marked = remembered(arrival, present, { n: 1, alert: alertInMark(alert, counted) });
  const state = toldIn(marked, alert, { settings, subject: input.subject, before });
  return { state, passed: undefined, outcomes: [{ kind: "alert", alert }], warnings };
}

function passedAs(passed: Stepped["passed"], state: KeyState): Stepped {
  return { state, passed, outcomes: [], warnings: [] };
}

/** Only what has an id can come again. */
function remembered(arrival: Arrival, state: KeyState, mark: Pick<Mark, "n" | "alert">): KeyState {
  const { id, at, context } = arrival;
  if (id === undefined) return state;
  return { ...state, logs: state.logs.add({ at, ...identified(id, context.log), ...mark }).logs };
}
