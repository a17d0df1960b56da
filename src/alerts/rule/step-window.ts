import type { AlertOutcome, AlertSettings } from "../types.ts";
import type { Arrival, Stepped } from "./arrival.ts";
import { identified, withMark } from "./marks.ts";
import { alertInMark, alertOf, overIn, raisedIn } from "./raise.ts";
import { type Counted, isQuiet, type KeyState, type Mark } from "./state.ts";
import { endOfReached, type Reached, reachedWindow, type Windowed, withPart } from "./window.ts";

type WindowArrival = Arrival & { settings: AlertSettings & { when: Windowed } };

/** Counts an input in its windows. */
export function stepWindow(arrival: WindowArrival): Stepped {
  const { settings, at, input, context } = arrival;
  const { when } = settings;
  const { state: before, outcomes } = recoveredBefore(arrival);
  const mark: Mark = { at, n: 1, ...identified(arrival), ...amountOf(arrival) };
  const { marks, index } = withMark(before.marks, mark);
  const state: KeyState = {
    ...before,
    marks,
    newest: Math.max(before.newest, at),
    ...(when.kind === "rate" ? { parts: withPart(when, before.parts, at) } : {}),
    ...(when.kind === "sum" && input.decimals !== undefined ? { decimals: input.decimals } : {}),
  };
  const reached = reachedWindow(when, state, { since: context.since, at });
  if (reached === undefined) return { state, passed: "counted", outcomes, warnings: [] };
  const isReported = state.active !== undefined && settings.quietMs <= 0;
  if (isReported || isQuiet(settings, state, at)) {
    return { state: { ...state, suppressed: state.suppressed + 1 }, passed: "quiet", outcomes, warnings: [] };
  }
  const counted = countedOf(reached, state.suppressed);
  const { alert, warnings } = alertOf(input, state, counted, { ...context, at });
  const marked = {
    ...state,
    marks: state.marks.with(index, { ...mark, alert: alertInMark(alert, counted) }),
  };
  const rest =
    settings.quietMs > 0 || settings.recovers
      ? marked
      : restarted(marked, { after: reached.end.at - when.withinMs, upTo: reached.end.at, used: at });
  return {
    state: raisedIn(rest, alert, settings),
    passed: undefined,
    outcomes: [...outcomes, { kind: "alert", alert }],
    warnings,
  };
}

/** The condition ended before this input, by the event time that all sources have reached, and the slack: that comes first. */
function recoveredBefore({ settings, state, at, id, context }: WindowArrival): {
  state: KeyState;
  outcomes: AlertOutcome[];
} {
  if (state.active === undefined) return { state, outcomes: [] };
  const endedAt = endOfReached(settings.when, state, context.since) ?? state.newest;
  const reached = Math.min(at, context.reportedUpTo);
  if (at <= endedAt || reached - settings.slackMs < endedAt) return { state, outcomes: [] };
  const ended = id === undefined ? {} : { ended: { by: id, alert: state.active, at: endedAt } };
  return {
    state: { ...overIn(state), ...ended },
    outcomes: [{ kind: "recovered", alert: state.active, at: endedAt }],
  };
}

function amountOf({ settings, input }: WindowArrival): Pick<Mark, "amount"> {
  return settings.when.kind === "sum" && input.amount !== undefined ? { amount: input.amount } : {};
}

function countedOf({ end: _end, ...counted }: Reached, suppressed: number): Counted {
  return { ...counted, suppressed };
}

/** The marks that raised an alert no longer count, so the next alert needs as many again. */
function restarted(
  state: KeyState,
  { after, upTo, used }: { after: number; upTo: number; used: number },
): KeyState {
  const isUsed = (mark: Mark) => mark.used === undefined && mark.at > after && mark.at <= upTo;
  return { ...state, marks: state.marks.map((mark) => (isUsed(mark) ? { ...mark, used } : mark)) };
}
