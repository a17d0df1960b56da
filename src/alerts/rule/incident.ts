import type { AlertInput, AlertOutcome, AlertSettings, RaisedAlert } from "../types.ts";
import type { StepWarning } from "./arrival.ts";
import { alertIdOf } from "./ids.ts";
import { type Counted, isQuiet, type KeyState, type Mark, type StepContext } from "./state.ts";

/** Characters of JSON. */
const MOST_DETAILS = 8_192;

/** An alert of an input, with its details. `id`: that of the open alert, for a reminder. */
export function alertOf(
  input: AlertInput,
  state: KeyState,
  counted: Counted,
  { id, ...context }: StepContext & { at: number; id?: string | undefined },
): { alert: RaisedAlert; warnings: StepWarning[] } {
  const trigger = input.id === undefined ? `${context.at} ${state.raised}` : `id ${input.id}`;
  const bare: RaisedAlert = {
    id: id ?? alertIdOf(context.ruleId, context.recordKey, trigger),
    key: state.key,
    at: context.at,
    ...counted,
    ...(input.log === undefined ? {} : { log: input.log }),
  };
  const details = detailsOf(input, bare);
  if (details === "unusable") return { alert: bare, warnings: ["details"] };
  return { alert: details === undefined ? bare : { ...bare, details: details.value }, warnings: [] };
}

/** What the mark of its input has of an alert. */
export function alertInMark(
  { id, log, reminder }: RaisedAlert,
  counted: Counted,
): NonNullable<Mark["alert"]> {
  return log === undefined && reminder === undefined ? counted : { ...counted, id };
}

/** As it is after a restart: JSON of a limited size. */
function detailsOf(input: AlertInput, alert: RaisedAlert): { value: unknown } | "unusable" | undefined {
  try {
    const value = input.details?.(alert);
    if (value === undefined) return undefined;
    const text = JSON.stringify(value);
    return text === undefined || text.length > MOST_DETAILS ? "unusable" : { value: JSON.parse(text) };
  } catch {
    return "unusable";
  }
}

/** Computes the details of an alert once, also if another copy wrote first and the input is counted again. */
export function withDetailsOnce(input: AlertInput): AlertInput {
  const { details } = input;
  if (details === undefined) return input;
  const known = new Map<string, unknown>();
  return {
    ...input,
    details: (alert) => {
      if (!known.has(alert.id)) known.set(alert.id, details(alert));
      return known.get(alert.id);
    },
  };
}

// An open alert, for all kinds of rules:
//
//   state                              a match            an end               the quiet time ends
//   closed                             alert, new id      –                    –
//   open                               counted            recovered, closed    if counted: reminder
//   open, soon after the alert before  counted            held back            if counted: reminder
//   open, its end held back            counted            counted              reminder, or recovered and closed
//
// The quiet time starts with each alert and reminder. A match after it, but before time ends it, is the reminder. Without
// a quiet time nothing is held back, and there are no reminders.

/** What a match is told as; undefined where it is only counted. */
export type Told = "alert" | "reminder" | undefined;

/** What an input that matches at this time is told as. */
export function matchAt(settings: AlertSettings, state: KeyState, at: number): Told {
  const { active, alertTimes = [] } = state;
  const { recovers, quietMs } = settings;
  if (active === undefined) return !recovers && isQuiet(settings, state, at) ? undefined : "alert";
  if (quietMs <= 0 || isQuiet(settings, state, at)) return undefined;
  const isLate = at < (alertTimes.at(-1) ?? 0);
  if (recovers) return isLate ? undefined : "reminder";
  // A late one is far from each alert that there was. Where nothing was counted, the alert before is over.
  return !isLate && isSummarized(settings, state) ? "reminder" : "alert";
}

/** The state after a match that is only counted. `isOlder`: it is known to be older than another input of its time. */
export function countedIn(state: KeyState, at: number, isOlder = false): KeyState {
  const { active, held, suppressed, holding = 0 } = state;
  const endedAt = held?.until ?? held?.at ?? at;
  const isAfter = at > endedAt || (at === endedAt && !isOlder);
  const isAgain = active !== undefined && held?.isOver === true && isAfter;
  return {
    ...state,
    suppressed: suppressed + 1,
    lastAt: Math.max(state.lastAt ?? at, at),
    ...(active === undefined ? {} : isAgain ? { holding: 1, holdsFrom: at } : { holding: holding + 1 }),
    ...(isAgain ? { held: { isOver: false, at, changes: held.changes + 1 } } : {}),
  };
}

/** What an alert or a reminder says about what was held back. */
export function heldBackIn(
  { suppressed, held, lastAt, reminders = 0 }: KeyState,
  told: "alert" | "reminder",
) {
  return {
    suppressed,
    ...(suppressed > 0 && lastAt !== undefined ? { lastAt } : {}),
    ...(told === "reminder" ? { reminder: reminders + 1 } : {}),
    ...(told === "reminder" && held !== undefined ? { changes: held.changes } : {}),
  };
}

/** The state after an alert or a reminder: `before` decides whether the alert came soon after another one. */
export function toldIn(
  state: KeyState,
  alert: RaisedAlert,
  { settings, subject, before }: { settings: AlertSettings; subject?: string | undefined; before: KeyState },
): KeyState {
  const { alertTimes = [], lastAt: _told, held: _held, ...rest } = state;
  const place = alertTimes.findLastIndex((time) => time <= alert.at) + 1;
  const { when, recovers, quietMs, summarizes = true } = settings;
  const times = when.kind === "absence" ? alertTimes.slice(-1) : alertTimes;
  const told: KeyState = {
    ...rest,
    raised: state.raised + 1,
    alertTimes: [...times.slice(0, place), alert.at, ...times.slice(place)],
    suppressed: 0,
  };
  if (alert.reminder !== undefined) {
    // After an end that was not told, it holds only since now.
    const holding = state.held?.isOver
      ? { holding: 1, holdsFrom: alert.at }
      : { holding: (state.holding ?? 0) + 1 };
    return { ...told, reminders: alert.reminder, ...holding };
  }
  const isNewest = alert.at >= (before.alertTimes?.at(-1) ?? 0);
  const opens = recovers || (quietMs > 0 && summarizes && isNewest);
  if (!opens) return told;
  const isSoon = recovers && isQuiet(settings, before, alert.at);
  return {
    ...closed(told),
    active: alert,
    holding: 1,
    holdsFrom: alert.at,
    ...(recovers ? {} : { noEnd: true as const }),
    ...(isSoon ? { soon: true as const } : {}),
    ...(subject === undefined ? {} : { subject }),
  };
}

/** What an end of the condition at this time leads to. */
export function endAt(
  settings: AlertSettings,
  state: KeyState,
  at: number,
): { state: KeyState; outcomes: AlertOutcome[] } {
  const { active, soon, held } = state;
  if (active === undefined) return { state, outcomes: [] };
  const isHeld = (held !== undefined || soon === true) && isQuiet(settings, state, at);
  if (!isHeld) return recoveredIn(state, at);
  if (held?.isOver) return { state: { ...state, held: { ...held, until: at } }, outcomes: [] };
  return { state: { ...state, held: { isOver: true, at, changes: (held?.changes ?? 0) + 1 } }, outcomes: [] };
}

/** When the quiet time of what was held back ends; undefined where nothing was. */
export function quietEndOf(settings: AlertSettings, state: KeyState): number | undefined {
  const last = state.alertTimes?.at(-1);
  const { active, held } = state;
  if (active === undefined) return undefined;
  if (last === undefined || settings.quietMs <= 0) {
    // The quiet time was taken out of the rule, or its alert was undone.
    return held?.isOver ? held.at : undefined;
  }
  return held !== undefined || isSummarized(settings, state) ? last + settings.quietMs : undefined;
}

/** What the end of a quiet time leads to: a reminder, or an end that was held back. */
export function endQuiet(
  settings: AlertSettings,
  state: KeyState,
  at: number,
): { state: KeyState; outcomes: AlertOutcome[] } {
  const { active, held } = state;
  if (active === undefined) return { state, outcomes: [] };
  if (held?.isOver) return recoveredIn(state, held.at);
  // It is about no single event.
  const { log: _log, ...alert } = active;
  const reminder: RaisedAlert = { ...alert, ...heldBackIn(state, "reminder"), at };
  const told = toldIn(state, reminder, { settings, before: state });
  return {
    state: { ...told, holding: state.holding ?? 0 },
    outcomes: [{ kind: "alert", alert: reminder }],
  };
}

/** The state without its open alert. */
export function closed(state: KeyState): KeyState {
  const {
    active: _active,
    reminders: _reminders,
    soon: _soon,
    held: _held,
    subject: _subject,
    holding: _holding,
    holdsFrom: _holdsFrom,
    noEnd: _noEnd,
    ...rest
  } = state;
  return rest;
}

/** Whether the end of a condition was decided, and not told. */
export function isHeldOver({ held }: KeyState): boolean {
  return held?.isOver === true;
}

/**
 * When the condition of the open alert was last known to hold, where no window shows it any more: its limit was changed,
 * or times were counted together. That does not move on with each new input, so that the alert ends.
 */
export function lastHeldAt({ alertTimes = [], lastAt, newest }: KeyState): number {
  return Math.min(newest, Math.max(alertTimes.at(-1) ?? 0, lastAt ?? 0));
}

function recoveredIn(state: KeyState, at: number): { state: KeyState; outcomes: AlertOutcome[] } {
  const { active, held } = state;
  if (active === undefined) return { state, outcomes: [] };
  const changes = held === undefined ? {} : { changes: held.changes };
  return {
    state: { ...closed(state), over: { id: active.id, at } },
    outcomes: [{ kind: "recovered", alert: active, at, ...changes }],
  };
}

function isSummarized({ recovers, summarizes = true }: AlertSettings, { suppressed }: KeyState): boolean {
  return suppressed > 0 && (recovers || summarizes);
}
