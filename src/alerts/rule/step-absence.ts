import type { Arrival, Stepped } from "./arrival.ts";
import { endAt } from "./incident.ts";
import { identified } from "./marks.ts";

/** An input that matches ends an absence, and starts the time for the next one. */
export function stepAbsence(arrival: Arrival): Stepped {
  const { settings, state, at, id } = arrival;
  // A watch that started without an input has no mark.
  if (at < state.newest || (at === state.newest && state.marks.length > 0)) {
    return { state, passed: "counted", outcomes: [], warnings: [] };
  }
  const { active } = state;
  const { state: after, outcomes } = settings.recovers ? endAt(settings, state, at) : { state, outcomes: [] };
  const isTold = active !== undefined && outcomes.length > 0 && id !== undefined;
  const by = isTold ? { ended: { by: id, alert: active, at } } : {};
  // An older version did not say for which time it had noticed an absence.
  const before = active !== undefined && state.noticed === undefined ? { noticed: state.newest } : {};
  const marks = [{ at, n: 1, ...identified(arrival) }];
  return {
    state: { ...before, ...after, ...by, newest: at, marks },
    passed: "counted",
    outcomes,
    warnings: [],
  };
}
