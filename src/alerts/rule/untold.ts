import type { AlertOutcome } from "../types.ts";
import { type KeyState, MOST_UNTOLD } from "./state.ts";

type Keeps = { untold?: AlertOutcome[] };

/** All outcomes that are kept, oldest first. */
export function listed(states: ReadonlyArray<Keeps | undefined>): AlertOutcome[] {
  return states.flatMap((state) => state?.untold ?? []).sort((one, other) => timeOf(one) - timeOf(other));
}

/** Adds outcomes that nobody was told yet. Beyond the limit, the oldest are dropped. */
export function withUntold(state: KeyState, outcomes: readonly AlertOutcome[]): KeyState {
  if (outcomes.length === 0) return state;
  return { ...state, untold: [...(state.untold ?? []), ...outcomes].slice(-MOST_UNTOLD) };
}

/** The state without an outcome; the same object where it has none like it. */
export function withoutOutcome<State extends Keeps>(
  state: State | undefined,
  outcome: AlertOutcome,
): State | undefined {
  const { untold = [] } = state ?? {};
  const rest = untold.filter((one) => one.kind !== outcome.kind || one.alert.id !== outcome.alert.id);
  return state === undefined || rest.length === untold.length ? state : { ...state, untold: rest };
}

function timeOf(outcome: AlertOutcome): number {
  return outcome.kind === "alert" ? outcome.alert.at : outcome.at;
}
