import type { AlertOutcome } from "../types.ts";
import type { Arrival, Stepped } from "./arrival.ts";
import { identified } from "./marks.ts";
import { overIn } from "./raise.ts";

/** An input that matches ends an absence, and starts the time for the next one. */
export function stepAbsence(arrival: Arrival): Stepped {
  const { settings, state, at, id } = arrival;
  // A watch that started without an input has no mark.
  if (at < state.newest || (at === state.newest && state.marks.length > 0)) {
    return { state, passed: "counted", outcomes: [], warnings: [] };
  }
  const { active } = state;
  const outcomes: AlertOutcome[] =
    active !== undefined && settings.recovers ? [{ kind: "recovered", alert: active, at }] : [];
  const ended =
    active !== undefined && settings.recovers && id !== undefined
      ? { ended: { by: id, alert: active, at } }
      : {};
  const marks = [{ at, n: 1, ...identified(arrival) }];
  return {
    state: { ...overIn(state), ...ended, newest: at, marks },
    passed: "counted",
    outcomes,
    warnings: [],
  };
}
