import { Journal } from "../journal/journal.ts";
import type { AlertOutcome } from "../types.ts";

/** Outcomes that are not acknowledged, in the order in which they came. */
export type Pending = Journal<AlertOutcome[]>;

type Keeps = { pending?: Pending };

/** All outcomes that are kept, oldest first. */
export function listed(states: Iterable<Keeps | undefined>): AlertOutcome[] {
  const all: AlertOutcome[] = [];
  for (const state of states) {
    for (const outcomes of state?.pending?.items.values() ?? []) all.push(...outcomes);
  }
  return all.sort((one, other) => timeOf(one) - timeOf(other));
}

/** Adds outcomes that are not acknowledged yet. None is dropped before it is. */
export function withPending<State extends Keeps>(state: State, outcomes: readonly AlertOutcome[]): State {
  if (outcomes.length === 0) return state;
  return { ...state, pending: pendingOf(outcomes, state.pending) };
}

/** Outcomes as they are kept, added to others. */
export function pendingOf(
  outcomes: readonly AlertOutcome[],
  before: Pending = Journal.of<AlertOutcome[]>(),
): Pending {
  let pending = before;
  for (const outcome of outcomes) {
    const id = idOf(outcome);
    pending = pending.put(id, [...(pending.get(id) ?? []), outcome]);
  }
  return pending;
}

export function hasPending(state: Keeps | undefined): boolean {
  return (state?.pending?.size ?? 0) > 0;
}

/** The state without an outcome; the same object where it has none like it. */
export function withoutOutcome<State extends Keeps>(
  state: State | undefined,
  outcome: AlertOutcome,
): State | undefined {
  const id = idOf(outcome);
  if (state?.pending?.get(id) === undefined) return state;
  return { ...state, pending: state.pending.remove(id) };
}

/** What is acknowledged together. The reminders of an alert, and its end, have the id of the alert. */
function idOf({ kind, alert: { id, reminder } }: AlertOutcome): string {
  return reminder === undefined ? `${kind} ${id}` : `${kind} ${id} ${reminder}`;
}

function timeOf(outcome: AlertOutcome): number {
  return outcome.kind === "alert" ? outcome.alert.at : outcome.at;
}

/** Whether a value from a store is what is kept. */
export function areOutcomes(value: unknown): value is AlertOutcome[] {
  return Array.isArray(value) && value.every((one) => typeof one?.alert?.id === "string");
}
