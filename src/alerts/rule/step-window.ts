import type { AlertOutcome, AlertSettings, RaisedAlert } from "../types.ts";
import type { Arrival, Stepped } from "./arrival.ts";
import type { Cells } from "./cells.ts";
import { alertIdOf } from "./ids.ts";
import {
  alertInMark,
  alertOf,
  countedIn,
  endAt,
  heldBackIn,
  isHeldOver,
  lastHeldAt,
  matchAt,
  toldIn,
} from "./incident.ts";
import { identified } from "./logs.ts";
import type { Counted, KeyState, Mark, StepContext } from "./state.ts";
import type { Span } from "./window.ts";
import {
  endOfReached,
  type Reached,
  reachedWindow,
  scaledAmount,
  shownSum,
  type Windowed,
  withPart,
} from "./window.ts";

type WindowArrival = Arrival & { settings: AlertSettings & { when: Windowed } };

/** Counts an input in its windows. */
export function stepWindow(arrival: WindowArrival): Stepped {
  const { settings, at, input, context } = arrival;
  const { when } = settings;
  const { state: before, outcomes } = recoveredBefore(arrival);
  const mark: Mark = { at, n: 1, ...identified(arrival.id, context.log), ...amountOf(arrival) };
  // Only what has an id can come again.
  const { logs, no } = mark.id === undefined ? { logs: before.logs } : before.logs.add(mark);
  const counting: KeyState = {
    ...before,
    logs,
    cells: before.cells.add(
      { at, n: 1, sum: BigInt(mark.amount ?? 0) },
      { most: settings.maxMarks, withinMs: when.withinMs },
    ),
    newest: Math.max(before.newest, at),
    ...(when.kind === "rate" ? { parts: withPart(when, before.parts, at) } : {}),
    ...(when.kind === "sum" && input.decimals !== undefined
      ? { decimals: Math.max(input.decimals, before.decimals ?? 0) }
      : {}),
  };
  const reached = reachedWindow(when, counting, { since: context.since, at });
  if (reached === undefined) return { state: counting, passed: "counted", outcomes, warnings: [] };
  // How the sum came to reach its limit before is no news any more.
  const reachedAt = Math.max(at, counting.reachedAt ?? at);
  const state: KeyState = when.kind === "sum" ? { ...counting, reachedAt } : counting;
  const told = matchAt(settings, state, at);
  if (told === undefined) return { state: countedIn(state, at), passed: "quiet", outcomes, warnings: [] };
  const { end, ...inWindow } = reached;
  const counted = { ...countedOf(when, inWindow, state), ...heldBackIn(state, told) };
  const id = told === "reminder" ? state.active?.id : undefined;
  const { alert, warnings } = alertOf(input, state, counted, { ...context, at, id });
  const marked = no === undefined ? logs : logs.put(no, { ...mark, alert: alertInMark(alert, counted) });
  const rest = { ...state, logs: marked, cells: usedUp(settings, state, { end: end.at, by: at }) };
  return {
    state: toldIn(rest, alert, { settings, before: state }),
    passed: undefined,
    outcomes: [...outcomes, { kind: "alert", alert }],
    warnings,
  };
}

/**
 * A sum reached its limit because of what left its window. No event tells of it, and nothing of a withdrawn event changes
 * how many hold the alert.
 */
export function stepByTime(
  settings: AlertSettings & { when: Windowed },
  before: KeyState,
  { from: at, count, sum }: Span,
  context: StepContext,
): { state: KeyState; outcomes: AlertOutcome[] } {
  const { when } = settings;
  const state = { ...before, reachedAt: at };
  const told = matchAt(settings, state, at);
  const holding = state.holding === undefined ? {} : { holding: state.holding };
  if (told === undefined) return { state: { ...countedIn(state, at), ...holding }, outcomes: [] };
  const alert: RaisedAlert = {
    id:
      (told === "reminder" ? state.active?.id : undefined) ??
      alertIdOf(context.ruleId, context.recordKey, `reached ${at} ${state.raised}`),
    key: state.key,
    at,
    ...countedOf(when, { count, sum: String(sum) }, state),
    ...heldBackIn(state, told),
  };
  const rest = { ...state, cells: usedUp(settings, state, { end: at, by: at }) };
  return { state: toldIn(rest, alert, { settings, before: state }), outcomes: [{ kind: "alert", alert }] };
}

/** What raised an alert no longer counts, so the next alert needs as many again. */
function usedUp(
  { quietMs, recovers, when }: AlertSettings & { when: Windowed },
  { cells }: KeyState,
  { end, by }: { end: number; by: number },
): Cells {
  return quietMs > 0 || recovers ? cells : cells.use({ after: end - when.withinMs, upTo: end, by });
}

/** The condition ended before this input, by the event time that all sources have reached, and the slack: that comes first. */
function recoveredBefore({ settings, state, at, id, context }: WindowArrival): {
  state: KeyState;
  outcomes: AlertOutcome[];
} {
  const { active } = state;
  if (active === undefined || !settings.recovers || isHeldOver(state)) return { state, outcomes: [] };
  const endedAt = endOfReached(settings.when, state, context.since) ?? lastHeldAt(state);
  const reached = Math.min(at, context.reportedUpTo);
  if (at <= endedAt || reached - settings.slackMs < endedAt) return { state, outcomes: [] };
  const { state: after, outcomes } = endAt(settings, state, endedAt);
  const isTold = outcomes.length > 0 && id !== undefined;
  return {
    state: isTold ? { ...after, ended: { by: id, alert: active, at: endedAt } } : after,
    outcomes,
  };
}

function amountOf({ settings, input }: WindowArrival): Pick<Mark, "amount"> {
  const { when } = settings;
  if (when.kind !== "sum" || input.amount === undefined) return {};
  return { amount: scaledAmount(when, input.amount, input.decimals) ?? input.amount };
}

function countedOf(
  when: Windowed,
  { sum, ...counted }: Omit<Reached, "end">,
  { decimals }: KeyState,
): Omit<Counted, "suppressed"> {
  if (when.kind !== "sum" || sum === undefined) return counted;
  const known = when.unit === "token" ? (when.decimals ?? decimals) : undefined;
  return {
    ...counted,
    sum: shownSum(when, sum, decimals),
    ...(known === undefined ? {} : { decimals: known }),
  };
}
