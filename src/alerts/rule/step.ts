import type { AlertInput, AlertOutcome, AlertSettings, PassedReason } from "../types.ts";
import type { Arrival, Stepped } from "./arrival.ts";
import { markIdOf, shownKey } from "./ids.ts";
import { isOfMatch, movedTo, withReading } from "./logs.ts";
import { isOtherThanLast } from "./newest.ts";
import { withPending } from "./pending.ts";
import { alertOf } from "./raise.ts";
import {
  boundedTime,
  horizonMs,
  isOfState,
  type KeyState,
  type Mark,
  newState,
  type StepContext,
  windowMs,
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
  const other = isKnowable ? state.logs.findOther({ ...log, at }) : undefined;
  const stepped = counted({ settings, state, input, at, id, context }, other);
  const contradicts = other !== undefined || (isKnowable && isOtherThanLast(state, { ...log, at }));
  return contradicts ? { ...stepped, contradicts } : stepped;
}

/** `other`: the number of the mark of the same log, as another watcher read it. */
function counted(
  { settings, state, input, at, id, context }: Omit<Arrival, "state"> & { state: KeyState | undefined },
  other: string | undefined,
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
  const no = state?.logs.find(id, log);
  const found = no === undefined ? undefined : state?.logs.get(no);
  const known = found && isOtherLog(found, settings, context) ? undefined : found;
  if (state !== undefined && (known !== undefined || (id !== undefined && state.ended?.by === id))) {
    const present =
      known && log && no ? withMark(state, no, movedTo(known, { place: log.place, at })) : state;
    if (known && log && known.place !== log.place) return { ...pass(seenBefore(input)), state: present };
    return again({ settings, state: present, input, at, id, context }, known);
  }
  // Where a log counted, another reading of it neither counts nor ends anything.
  const otherMark = other === undefined ? undefined : state?.logs.get(other);
  if (state !== undefined && log && other && otherMark && (!input.matches || isOfMatch(otherMark))) {
    const read = withReading(otherMark, { ...log, at });
    return { ...pass(seenBefore(input)), state: withMark(state, other, read) };
  }
  if (context.isCounted && input.matches) return pass("seen");
  const isEachAgain = settings.when.kind === "each" && input.redelivered === true;
  const horizon = horizonMs(settings);
  const forgotten = context.forgottenUpTo - horizon;
  // What a source reports in order cannot be among what was forgotten.
  if (state?.floor !== undefined && at <= Math.min(state.floor, forgotten) && !isEachAgain) {
    return pass("too_late");
  }
  const oldest = state === undefined ? context.forgottenUpTo + 1 : newestOf(state, context);
  if (at < oldest - horizon && !(isEachAgain || (state === undefined && input.redelivered))) {
    return pass(input.matches ? "too_late" : "no_match");
  }
  // The key may have been forgotten: what came up to then is not known, unless it is delivered again.
  const before = state
    ? counting(state)
    : {
        ...newState(shownKey(input.key), at),
        ...(context.forgottenUpTo > 0 && !input.redelivered && { floor: forgotten }),
      };
  const arrival = { settings, state: before, input, at, id, context };
  const stepped = kindOf(settings)(arrival);
  const warnings: Stepped["warnings"] = at < input.at ? [...stepped.warnings, "ahead"] : stepped.warnings;
  return trimmed(settings, context, { ...stepped, state: kept(stepped, context), warnings });
}

/** The state itself where the mark is the one that it has. */
function withMark(state: KeyState, no: string, mark: Mark): KeyState {
  return state.logs.get(no) === mark ? state : { ...state, logs: state.logs.put(no, mark) };
}

/** The state of a key of which not only the past counts any more. */
function counting({ isPast, ...state }: KeyState): KeyState {
  return state;
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
function again({ settings, state, input, at, id, context }: Arrival, known: Mark | undefined): Stepped {
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
    const { active, over } = state;
    const isOpen = active?.id === repeated.alert.id;
    const isOver = !isOpen && over !== undefined && (settings.recovers || over.id === repeated.alert.id);
    outcomes.push({
      kind: "alert",
      alert: isOpen && counted.reminder === undefined && active ? active : repeated.alert,
      repeated: true,
      ...(isOver ? { endedAt: over.at } : {}),
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
function newestOf({ newest }: KeyState, { reportedUpTo, now }: StepContext): number {
  return Math.min(newest, reportedUpTo, now);
}

/** Forgets marks that can no longer count. */
function trimmed(settings: AlertSettings, context: StepContext, { state, ...result }: Stepped): Stepped {
  if (state === undefined) return { state, ...result };
  const oldest = newestOf(state, context) - horizonMs(settings);
  const { when } = settings;
  const recent: KeyState = {
    ...state,
    logs: state.logs.since(oldest),
    // The window of the oldest input that counts.
    cells: state.cells.since(oldest - windowMs(settings)),
    ...(when.kind === "rate" && state.parts ? { parts: partsSince(when, state.parts, oldest) } : {}),
  };
  return { state: withoutOldTimes(recent, settings, oldest), ...result };
}
