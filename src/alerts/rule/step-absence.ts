import type { Arrival, Stepped } from "./arrival.ts";
import { endAt } from "./incident.ts";
import { identified, Logs } from "./logs.ts";
import { awaitedFrom, MOST_AHEAD_MS } from "./state.ts";

/** An input that matches ends an absence, and starts the time for the next one. */
export function stepAbsence(arrival: Arrival): Stepped {
  const { settings, state, at, id, context } = arrival;
  // A watch that started without an input has no mark.
  // Nor does what a clock that was ahead has left.
  const from = Math.min(awaitedFrom(state) ?? Number.NEGATIVE_INFINITY, context.now + MOST_AHEAD_MS);
  if (at < from || (at === from && state.logs.size > 0)) {
    return { state, passed: "counted", outcomes: [], warnings: [] };
  }
  const { active } = state;
  const { state: after, outcomes } = settings.recovers ? endAt(settings, state, at) : { state, outcomes: [] };
  const isTold = active !== undefined && outcomes.length > 0 && id !== undefined;
  const by = isTold ? { ended: { by: id, alert: active, at } } : {};
  // An older version did not say for which time it had noticed an absence.
  const before = active !== undefined && state.noticed === undefined ? { noticed: from } : {};
  // Few, so that they are stored in the record of the key itself; unless another rule needs the others.
  const seen = state.aside === undefined ? Logs.empty() : state.logs;
  const { logs } = seen.add({ at, n: 1, ...identified(id, context.log) });
  const newest = state.aside === undefined ? at : Math.max(state.newest, at);
  return {
    state: { ...before, ...after, ...by, newest, from: at, logs },
    passed: "counted",
    outcomes,
    warnings: [],
  };
}
