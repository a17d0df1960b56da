import type { AlertOutcome, AlertSettings, Condition, ConditionSet, RaisedAlert } from "../types.ts";
import { Cells } from "./cells.ts";
import { closed, endQuiet } from "./incident.ts";
import { Logs } from "./logs.ts";
import { withPending } from "./pending.ts";
import { awaitedFrom, type KeyState, type Mark, newState, UNAWAITED } from "./state.ts";
import { endOfReached, isWindowed } from "./window.ts";

// While copies of a shared store have different rules, each has windows and incidents of its own in a key, and what
// belongs to the other rules is set aside. What was seen, and what has to be told, they have together.

/** The state as a rule has it; the same one where it is that. Without a rule, it is that of any. */
export function ofRule(state: KeyState, rule: string | undefined): KeyState {
  if (rule === undefined || state.rule === rule) return state;
  if (state.rule === undefined) return { ...state, rule };
  const { aside = [], ...present } = state;
  const own = aside.find((one) => one.rule === rule) ?? {
    ...newState(state.key, state.newest),
    from: UNAWAITED,
  };
  const others = [
    ...aside.filter((one) => one !== own),
    ...(isEmpty(present) ? [] : [withoutShared(present)]),
  ];
  return { ...own, ...sharedOf(state), rule, ...(others.length > 0 && { aside: others }) };
}

/** A change of what a rule has, as one of the state. */
export function asOfRule<Decided extends { state: KeyState | undefined }>(
  rule: string | undefined,
  decide: (own: KeyState | undefined) => Decided,
): (state: KeyState | undefined) => Decided {
  if (rule === undefined) return decide;
  return (state) => {
    const own = state && ofRule(state, rule);
    const decided = decide(own);
    const changed = decided.state && ofRule(decided.state, rule);
    return Object.assign({}, decided, { state: decided.state === own ? state : changed });
  };
}

/** The state without what belongs to rules that nobody has any more: what was open by them has ended. */
export function withoutRules(
  state: KeyState,
  rules: readonly string[],
  { rule, ...moment }: { rule: string; settings: AlertSettings; now: number; keepsPending: boolean },
): { state: KeyState; outcomes: AlertOutcome[] } {
  // One without a name is of the time before rules were told apart.
  const { aside = [], ...own } = ofRule(ofRule(state, state.rule ?? rules[0]), rule);
  const over = aside.filter((one) => rules.includes(one.rule ?? ""));
  if (over.length === 0) return { state, outcomes: [] };
  const left = aside.filter((one) => !over.includes(one));
  const outcomes = over.flatMap((one) => afterChange(one, { ...moment, keepsPending: false }).outcomes);
  const ended = over.flatMap(({ active }) => active ?? []).at(-1);
  const changed: KeyState = {
    ...own,
    ...(ended && { over: { id: ended.id, at: moment.now } }),
    ...(left.length > 0 && { aside: left }),
  };
  return { state: moment.keepsPending ? withPending(changed, outcomes) : changed, outcomes };
}

/** As `withoutLog`, of the rule that raised the alert. */
export function withoutLogOf(
  settings: AlertSettings,
  state: KeyState,
  alert: RaisedAlert,
  since: number,
): KeyState {
  const other = state.aside?.find(({ active }) => active?.id === alert.id);
  if (other === undefined) return withoutLog(settings, state, alert, since);
  return ofRule(withoutLog(settings, ofRule(state, other.rule), alert, since), state.rule);
}

/** The open alerts of a key, of each rule; also those whose end is not told. */
export function openIn(state: KeyState | undefined): KeyState[] {
  if (state === undefined) return [];
  return [state, ...(state.aside ?? [])].filter(({ active }) => active !== undefined);
}

/** The rules that have something in a key, besides what was seen. */
export function rulesIn(state: KeyState | undefined): string[] {
  if (state === undefined) return [];
  return [state, ...(state.aside ?? [])].flatMap((one) => (isEmpty(one) ? [] : (one.rule ?? [])));
}

function sharedOf({ v, key, newest, raised, logs, floor, pending, ended }: KeyState) {
  return {
    ...{ v, key, newest, raised, logs },
    ...(floor !== undefined && { floor }),
    ...(pending && { pending }),
    ...(ended && { ended }),
  };
}

function withoutShared({ floor: _floor, pending: _pending, ended: _ended, ...state }: KeyState): KeyState {
  return { ...state, logs: Logs.empty() };
}

/** Whether nothing of a rule is lost with it. */
function isEmpty({ active, alertTimes, parts, suppressed, cells, from = UNAWAITED }: KeyState): boolean {
  const isWindowEmpty = cells.sorted.length === 0 && parts === undefined && from === UNAWAITED;
  return active === undefined && alertTimes === undefined && suppressed === 0 && isWindowEmpty;
}

/**
 * The state after the log of an alert was undone, as if that had not been: what it used up counts again. The open alert
 * stays open where something else holds it.
 */
function withoutLog(settings: AlertSettings, state: KeyState, alert: RaisedAlert, since: number): KeyState {
  const { id, at, log } = alert;
  const no = log && state.logs.findAlert(alert);
  const mark = no === undefined ? undefined : state.logs.get(no);
  if (no === undefined || mark === undefined) return state;
  const { alertTimes = [] } = state;
  const undone = alertTimes.lastIndexOf(at);
  const without: KeyState = {
    ...state,
    logs: state.logs.put(no, idOnly(mark)),
    cells: state.cells.free(at).take({ at: mark.at, n: mark.n, sum: BigInt(mark.amount ?? 0) }),
    alertTimes: undone < 0 ? alertTimes : alertTimes.toSpliced(undone, 1),
  };
  if (state.active?.id !== id) return without;
  const { holding = 1, holdsFrom = at } = state;
  const left = at < holdsFrom ? without : { ...without, holding: holding - 1 };
  return isHeldByOthers(settings, left, since) ? left : { ...closed(left), over: { id, at } };
}

function isHeldByOthers(settings: AlertSettings, state: KeyState, since: number): boolean {
  if (settings.recovers && isWindowed(settings)) {
    return endOfReached(settings.when, state, since) !== undefined;
  }
  return Number(state.holding) > 0;
}

/** So that it does not count when it is delivered again from its old place. Another reading of it is new then. */
function idOnly({ at, id, place, moved }: Mark): Mark {
  return { at, n: 0, ...(id && { id }), ...(place && { place }), ...(moved && { moved }) };
}

/**
 * The state of a key of a rule that was changed: its open alert is over, since nothing of the new rule would end it, and
 * its windows start again. The logs that it has seen raise no further alert.
 */
export function afterChange(
  state: KeyState,
  { settings, now, keepsPending }: { settings: AlertSettings; now: number; keepsPending: boolean },
): { state: KeyState; outcomes: AlertOutcome[] } {
  const { active, noEnd, suppressed } = state;
  const {
    parts: _parts,
    alertTimes: _times,
    alertRanges: _ranges,
    lastAt: _lastAt,
    noticed: _noticed,
    ended: _ended,
    from: _from,
    ...rest
  } = closed(state);
  const outcomes: AlertOutcome[] = [];
  if (active !== undefined && !noEnd) {
    outcomes.push({ kind: "ended", alert: { ...active, suppressed }, at: now });
  } else if (active !== undefined && suppressed > 0) {
    // What was held back is told now: the new rule would count it as its own.
    outcomes.push(...endQuiet(settings, state, now).outcomes);
  }
  const over = active === undefined ? {} : { over: { id: active.id, at: now } };
  const isAbsence = settings.when.kind === "absence";
  const changed: KeyState = {
    ...rest,
    ...over,
    ...(isAbsence && { from: UNAWAITED }),
    cells: Cells.empty(),
    suppressed: 0,
  };
  return { state: keepsPending ? withPending(changed, outcomes) : changed, outcomes };
}

/** The state of a key where it is not known how long it waited: an absence that was not told waits from now on. */
export function waitingFrom(state: KeyState, now: number): KeyState {
  const from = awaitedFrom(state);
  if (from === undefined || state.noticed === from) return state;
  return { ...state, newest: Math.min(state.newest, now), from: now };
}

/** The state of an absence that is awaited from a time on, unless it already is. */
export function watchedFrom(state: KeyState | undefined, since: number): KeyState {
  if (state === undefined) return { ...newState("", since), from: since };
  return state.from === UNAWAITED ? { ...state, from: since } : state;
}

/** What conditions compare, without the limits that they compare with: these may change while an alert is open. */
export function shapeOf(conditions: ConditionSet | readonly Condition[]): unknown {
  const isSet = "match" in conditions;
  const rows: readonly Condition[] = isSet ? conditions.conditions : conditions;
  const shapes = rows.map(({ field, is, not = false, value }) => [
    ...[field, is, not],
    ...(field === "name" ? [value] : []),
  ]);
  return [isSet ? conditions.match : "all", shapes];
}
