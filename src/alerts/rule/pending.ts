import type { AlertOutcome } from "../types.ts";
import { type KeyState, MOST_PENDING } from "./state.ts";

type Keeps = { pending?: AlertOutcome[] };

/** All outcomes that are kept, oldest first. */
export function listed(states: ReadonlyArray<Keeps | undefined>): AlertOutcome[] {
  return states.flatMap((state) => state?.pending ?? []).sort((one, other) => timeOf(one) - timeOf(other));
}

/** Adds outcomes that are not acknowledged yet. Beyond the limit, the oldest are dropped. */
export function withPending(state: KeyState, outcomes: readonly AlertOutcome[]): KeyState {
  if (outcomes.length === 0) return state;
  return { ...state, pending: [...(state.pending ?? []), ...outcomes].slice(-MOST_PENDING) };
}

/** Whether the next outcome drops the oldest. */
export function isFull(state: Keeps | undefined): boolean {
  return (state?.pending?.length ?? 0) >= MOST_PENDING;
}

/** The state without an outcome; the same object where it has none like it. */
export function withoutOutcome<State extends Keeps>(
  state: State | undefined,
  outcome: AlertOutcome,
): State | undefined {
  const { pending = [] } = state ?? {};
  const rest = pending.filter((one) => !isSame(one, outcome));
  return state === undefined || rest.length === pending.length ? state : { ...state, pending: rest };
}

/** The reminders of an alert, and its end, have the id of the alert. */
function isSame(one: AlertOutcome, other: AlertOutcome): boolean {
  return (
    one.kind === other.kind && one.alert.id === other.alert.id && one.alert.reminder === other.alert.reminder
  );
}

function timeOf(outcome: AlertOutcome): number {
  return outcome.kind === "alert" ? outcome.alert.at : outcome.at;
}
