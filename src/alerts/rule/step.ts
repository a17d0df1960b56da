import type { AlertInput, AlertOutcome, AlertSettings, PassedReason } from "../types.ts";
import type { Arrival, Stepped } from "./arrival.ts";
import { markIdOf, shownKey } from "./ids.ts";
import { bounded, findMark, findOtherReading, isOfMatch, movedIn, since, withReading } from "./marks.ts";
import { withPending } from "./pending.ts";
import { alertOf } from "./raise.ts";
import {
  boundedTime,
  horizonMs,
  isOfState,
  type KeyState,
  type Mark,
  newState,
  REMEMBER_EACH,
  REMEMBER_EACH_MS,
  type StepContext,
  withoutOldTimes,
} from "./state.ts";
import { stepAbsence } from "./step-absence.ts";
import { stepEach, stepWhileHolding } from "./step-each.ts";
import { stepWindow } from "./step-window.ts";
import { isWindowed, partsSince, scaledAmount } from "./window.ts";

const WHOLE_NUMBER = /^-?\d{1,100}$/;

/**
 * What an input changes. Pure: the same arguments give the same answer, and the state that is given stays as it is.
 *
 * Which inputs count depends on their event times and ids alone: those within the slack may come in any order. At which
 * of them an alert is raised depends on the order, since an alert does not wait.
 */
export function step(
  settings: AlertSettings,
  state: KeyState | undefined,
  input: AlertInput,
  context: StepContext,
): Stepped {
  const { log } = context;
  const at = boundedTime(input.at, context.now);
  const id = input.id === undefined ? undefined : markIdOf(log?.id ?? input.id, input.matches);
  const isKnowable = state !== undefined && id !== undefined && log !== undefined;
  const other = isKnowable ? findOtherReading(state, { ...log, at }) : undefined;
  const stepped = counted({ settings, state, input, at, id, context }, other);
  return other === undefined ? stepped : { ...stepped, contradicts: true };
}

/** `other`: the mark of the same log, as another watcher read it. */
function counted(
  { settings, state, input, at, id, context }: Omit<Arrival, "state"> & { state: KeyState | undefined },
  other: Mark | undefined,
): Stepped {
  const holds = isOfState(settings);
  const pass = (passed: PassedReason): Stepped => ({ state, passed, outcomes: [], warnings: [] });
  if (!input.matches && !holds) return pass("no_match");
  if (settings.when.kind === "sum") {
    const { amount = "", decimals } = input;
    const isSummable = WHOLE_NUMBER.test(amount) && scaledAmount(settings.when, amount, decimals);
    if (!isSummable) return pass("undecided");
  }
  const { log } = context;
  const found = state && findMark(state, id, log?.place);
  const known = found && isOtherLog(found, settings, context) ? undefined : found;
  if (state !== undefined && (known !== undefined || (id !== undefined && state.ended?.by === id))) {
    const present = known && log ? movedIn(state, known, { place: log.place, at }) : state;
    if (known && log && known.place !== log.place) return { ...pass(seenBefore(input)), state: present };
    return again({ settings, state: present, input, at, id, context }, known);
  }
  // Where a log counted, another reading of it neither counts nor ends anything.
  if (state !== undefined && log && other && (!input.matches || isOfMatch(other))) {
    return { ...pass(seenBefore(input)), state: withReading(state, other, { ...log, at }) };
  }
  if (context.isCounted && input.matches) return pass("seen");
  const isEachAgain = settings.when.kind === "each" && input.redelivered === true;
  const horizon = horizonMs(settings);
  const forgotten = context.forgottenUpTo - horizon;
  if (state?.floor !== undefined && at <= state.floor && !isEachAgain) {
    return pass(at <= forgotten ? "too_late" : "limit");
  }
  const oldest = state === undefined ? context.forgottenUpTo + 1 : newestOf(settings, state, context);
  if (at < oldest - horizon && !(isEachAgain || (state === undefined && input.redelivered))) {
    return pass(input.matches ? "too_late" : "no_match");
  }
  // The key may have been forgotten: what came up to then is not known, unless it is delivered again.
  const before = state ?? {
    ...newState(shownKey(input.key), at),
    ...(context.forgottenUpTo > 0 && !input.redelivered && { floor: forgotten }),
  };
  const arrival = { settings, state: before, input, at, id, context };
  const stepped = kindOf(settings)(arrival);
  const warnings: Stepped["warnings"] = at < input.at ? [...stepped.warnings, "ahead"] : stepped.warnings;
  return trimmed(settings, context, { ...stepped, state: kept(stepped, context), warnings });
}

function kindOf(settings: AlertSettings): (arrival: Arrival) => Stepped {
  if (settings.when.kind === "absence") return stepAbsence;
  if (isWindowed(settings)) return (arrival) => stepWindow({ ...arrival, settings });
  return settings.recovers ? stepWhileHolding : stepEach;
}

/** An alert leaves with its event, which is delivered until it is acknowledged. A recovery has no event of its own. */
function kept({ state, outcomes }: Stepped, { keepsPending }: StepContext): KeyState | undefined {
  if (!keepsPending || state === undefined) return state;
  return withPending(
    state,
    outcomes.filter(({ kind }) => kind !== "alert"),
  );
}

/** The input was counted before. If it was not acknowledged, its outcomes are returned again. */
function again({ state, input, at, id, context }: Arrival, known: Mark | undefined): Stepped {
  const outcomes: AlertOutcome[] = [];
  const warnings: Stepped["warnings"] = [];
  if (input.redelivered && !context.keepsPending && state.ended !== undefined && state.ended.by === id) {
    outcomes.push({ kind: "recovered", alert: state.ended.alert, at: state.ended.at });
  }
  if (input.redelivered && known?.alert !== undefined) {
    const { id: of, ...counted } = known.alert;
    const repeated = alertOf(input, state, counted, {
      ...{ ...context, at },
      id: counted.reminder === undefined ? undefined : of,
    });
    const isActive = counted.reminder === undefined && state.active?.id === repeated.alert.id;
    outcomes.push({
      kind: "alert",
      alert: isActive && state.active ? state.active : repeated.alert,
      repeated: true,
    });
    warnings.push(...repeated.warnings);
  }
  const isRepeated = known?.alert !== undefined && input.redelivered;
  return { state, passed: isRepeated ? undefined : seenBefore(input), outcomes, warnings };
}

function seenBefore({ matches }: AlertInput): PassedReason {
  return matches ? "seen" : "no_match";
}

/** Where alerts are watched, the watch knows which log is that of an alert: another one must not pass as seen. */
function isOtherLog(
  mark: Mark,
  { confirmWithinMs }: AlertSettings,
  { log, isCounted, isBeside }: StepContext,
): boolean {
  if (log === undefined || confirmWithinMs === undefined || isCounted) return false;
  // The mark may also be that of an alert that was taken back.
  if (isBeside) return mark.alert !== undefined || mark.n === 0;
  return mark.place !== log.place && mark.alert !== undefined;
}

/** What is late, is late against this time: that of the newest input, unless the slowest source has not come as far. */
function newestOf(settings: AlertSettings, { newest }: KeyState, { reportedUpTo }: StepContext): number {
  // Of a state, only the newest input counts.
  return isOfState(settings) ? newest : Math.min(newest, reportedUpTo);
}

/** Forgets marks that can no longer count, and marks beyond the limit. */
function trimmed(settings: AlertSettings, context: StepContext, { state, ...result }: Stepped): Stepped {
  if (state === undefined) return { state, ...result };
  const oldest = newestOf(settings, state, context) - horizonMs(settings);
  const { when } = settings;
  const isEach = when.kind === "each";
  const recent: KeyState = {
    ...state,
    marks: isOfState(settings) ? recentOfState(state, oldest) : since(state.marks, oldest),
    ...(when.kind === "rate" && state.parts ? { parts: partsSince(when, state.parts, oldest) } : {}),
  };
  const small = bounded(recent, isEach ? Math.min(settings.maxMarks, REMEMBER_EACH) : settings.maxMarks);
  // Without a window only ids are lost, and inputs as old as those no longer count.
  const isReported = small !== recent && !isEach;
  return {
    state: withoutOldTimes(small, settings, oldest),
    ...result,
    warnings: isReported ? [...result.warnings, "marks"] : result.warnings,
  };
}

/** What raised an alert is remembered for as long as it may be delivered again. */
function recentOfState({ marks, newest }: KeyState, oldest: number): Mark[] {
  return marks.filter(
    ({ at, alert }) => at >= oldest || (alert !== undefined && at >= newest - REMEMBER_EACH_MS),
  );
}
