import type { AlertInput, AlertOutcome, AlertSettings, PassedReason } from "../types.ts";
import { type Arrival, isOlder, isOtherThanLast, type Stepped, withNewest } from "./arrival.ts";
import { markIdOf, shownKey } from "./ids.ts";
import {
  alertInMark,
  alertOf,
  countedIn,
  endAt,
  heldBackIn,
  matchAt,
  type Told,
  toldIn,
} from "./incident.ts";
import { identified, isOfMatch, Logs, movedTo, withReading } from "./logs.ts";
import { withPending } from "./pending.ts";
import {
  awaitedFrom,
  boundedTime,
  horizonMs,
  isOfState,
  isQuiet,
  type KeyState,
  type Mark,
  MOST_AHEAD_MS,
  newState,
  type StepContext,
  windowMs,
  withoutOldTimes,
} from "./state.ts";
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

/** An input that matches ends an absence, and starts the time for the next one. */
function stepAbsence(arrival: Arrival): Stepped {
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

/** Each input that matches is an alert, unless there was one just before. */
function stepEach(arrival: Arrival): Stepped {
  const { state, at } = arrival;
  return matched(arrival, { ...state, newest: Math.max(state.newest, at) });
}

/**
 * With the end of the condition as an outcome, an input says whether the condition holds, as a balance does. The newest
 * input of a key decides. An older one that matches is an alert that is over at once, or only counted where it is close
 * to another alert.
 */
function stepWhileHolding(arrival: Arrival): Stepped {
  const { settings, state, input, at, id } = arrival;
  const { matches, ends = !matches, subject } = input;
  const present = withNewest(arrival);
  if (matches) {
    const isOver = isOlder(arrival) && state.active === undefined;
    if (isOver && isQuiet(settings, state, at)) return onlyCounted(arrival, present);
    const stepped = matched(arrival, present);
    if (!isOver || stepped.state === undefined) return stepped;
    const ended = endAt(settings, stepped.state, present.newest);
    return { ...stepped, state: ended.state, outcomes: [...stepped.outcomes, ...ended.outcomes] };
  }
  const isOther = state.subject !== undefined && subject !== undefined && state.subject !== subject;
  if (!ends || isOlder(arrival) || isOther || state.active === undefined)
    return passedAs("no_match", present);
  const { state: after, outcomes } = endAt(settings, present, at);
  const isTold = outcomes.length > 0 && id !== undefined;
  const by = isTold ? { ended: { by: id, alert: state.active, at } } : {};
  return { ...passedAs("no_match", { ...after, ...by }), outcomes };
}

function matched(arrival: Arrival, present: KeyState): Stepped {
  const told = matchAt(arrival.settings, arrival.state, arrival.at);
  return told === undefined ? onlyCounted(arrival, present) : tell(arrival, present, told);
}

function onlyCounted(arrival: Arrival, present: KeyState): Stepped {
  return passedAs("quiet", countedIn(remembered(arrival, present, { n: 0 }), arrival.at, isOlder(arrival)));
}

function tell(arrival: Arrival, present: KeyState, told: NonNullable<Told>): Stepped {
  const { settings, input, at, context, state: before } = arrival;
  const counted = { count: 1, ...heldBackIn(present, told) };
  const id = told === "reminder" ? present.active?.id : undefined;
  const { alert, warnings } = alertOf(input, present, counted, { ...context, at, id });
  const marked = remembered(arrival, present, { n: 1, alert: alertInMark(alert, counted) });
  const state = toldIn(marked, alert, { settings, subject: input.subject, before });
  return { state, passed: undefined, outcomes: [{ kind: "alert", alert }], warnings };
}

function passedAs(passed: Stepped["passed"], state: KeyState): Stepped {
  return { state, passed, outcomes: [], warnings: [] };
}

/** Only what has an id can come again. */
function remembered(arrival: Arrival, state: KeyState, mark: Pick<Mark, "n" | "alert">): KeyState {
  const { id, at, context } = arrival;
  if (id === undefined) return state;
  return { ...state, logs: state.logs.add({ at, ...identified(id, context.log), ...mark }).logs };
}
