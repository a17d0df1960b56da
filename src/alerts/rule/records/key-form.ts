import { type Change, Journal, type StoredJournal } from "../../journal/journal.ts";
import { readJournal, sealed } from "../../journal/stored-journal.ts";
import type { AlertStore } from "../../types.ts";
import { Cells, isStoredCell, type StoredCell } from "../cells.ts";
import { Logs } from "../logs.ts";
import { areOutcomes, pendingOf } from "../pending.ts";
import type { KeyState, Mark } from "../state.ts";
import type { RecordForm } from "./cached-record.ts";

/** The state of a key as its record has it. */
export type StoredState = Omit<KeyState, "logs" | "cells" | "pending" | "aside"> & {
  logs?: StoredJournal<Mark>;
  cells?: StoredJournal<StoredCell>;
  pending?: unknown;
  aside?: StoredState[];
};

/** What the record of a state has. */
export function storedOf({ logs, cells, pending, aside, ...state }: KeyState): StoredState {
  return {
    ...state,
    logs: logs.journal.toJSON(),
    ...(isEmpty(cells.journal) ? {} : { cells: cells.journal.toJSON() }),
    ...(pending === undefined || isEmpty(pending) ? {} : { pending: pending.toJSON() }),
    ...(aside && { aside: aside.map(storedOf) }),
  };
}

function isEmpty({ size, stored }: Journal<unknown>): boolean {
  return size === 0 && stored === 0;
}

/** As earlier versions stored what was counted. `used`: by the alert of this time. */
type OldMark = Mark & { used?: number };

/** The form of the states of keys. `unreadable` is called for what cannot be read. */
export function keyForm(store: AlertStore, unreadable: () => void): RecordForm<KeyState> {
  return {
    read: async (recordKey, value, known) => {
      const stored = typeof value === "string" ? unpacked(recordKey, value) : value;
      const state = isStoredState(stored) ? await stateOf(stored, store, known) : undefined;
      if (state === undefined) unreadable();
      return state;
    },
    sealed: (state) => sealedState(state, store),
    stored: storedOf,
    renewed: (state) => (state.pending ? { ...state, pending: state.pending.renewed() } : state),
    journals: journalsOf,
  };
}

function journalsOf({ logs, cells, pending, aside = [] }: KeyState): Array<Journal<unknown> | undefined> {
  return [logs.journal, cells.journal, pending, ...aside.flatMap(journalsOf)];
}

async function sealedState(state: KeyState, store: AlertStore): Promise<KeyState> {
  const { logs, cells, pending, aside = [] } = state;
  const journals = {
    logs: await sealed(logs.journal, store),
    cells: await sealed(cells.journal, store),
    pending: pending && (await sealed(pending, store)),
  };
  const others = await Promise.all(aside.map((one) => sealedState(one, store)));
  const isSame = journals.logs === logs.journal && journals.cells === cells.journal;
  if (isSame && journals.pending === pending && others.every((one, no) => one === aside[no])) return state;
  return {
    ...state,
    logs: logs.of(journals.logs),
    cells: cells.of(journals.cells),
    ...(journals.pending && { pending: journals.pending }),
    ...(others.length > 0 && { aside: others }),
  };
}

async function stateOf(
  { logs, cells, pending, aside = [], ...state }: StoredState & PackedState,
  store: AlertStore,
  known: KeyState | undefined,
): Promise<KeyState | undefined> {
  const { marks, ...others } = state;
  if (marks !== undefined) {
    return { ...others, ...ofMarks(marks), ...(areOutcomes(pending) && { pending: pendingOf(pending) }) };
  }
  const ofLogs = await readJournal(logs, store, isMark, known?.logs.journal);
  if (ofLogs === undefined) return undefined;
  const ofCells = cells && (await readJournal(cells, store, isStoredCell, known?.cells.journal));
  const kept = pending ? await readJournal(pending, store, areOutcomes, known?.pending) : undefined;
  const ofRules = await Promise.all(aside.filter(isStoredState).map((one) => stateOf(one, store, undefined)));
  const readable = ofRules.filter((one) => one !== undefined);
  return {
    ...others,
    logs: Logs.read(ofLogs.journal, known && { logs: known.logs, changed: ofLogs.changed }),
    cells: Cells.read(ofCells?.journal ?? Journal.of()),
    ...(kept && { pending: kept.journal }),
    ...(readable.length > 0 && { aside: readable }),
  };
}

/** Earlier versions kept one list. */
function ofMarks(marks: readonly OldMark[]): Pick<KeyState, "logs" | "cells"> {
  let { logs, cells } = { logs: Logs.empty(), cells: Cells.empty() };
  for (const { used, ...mark } of marks) {
    if (mark.id !== undefined) logs = logs.add(mark).logs;
    if (mark.n === 0) continue;
    const counted = { at: mark.at, n: mark.n, sum: BigInt(mark.amount ?? 0) };
    cells = used === undefined ? cells.add(counted) : cells.addUsed({ ...counted, by: used });
  }
  return { logs, cells };
}

function isStoredState(value: unknown): value is StoredState & PackedState {
  if (typeof value !== "object" || value === null) return false;
  const {
    v,
    key,
    newest,
    marks,
    logs,
    raised,
    suppressed,
    alertTimes,
    alertRanges = [],
  } = value as Partial<Record<keyof KeyState | "marks", unknown>>;
  return (
    v === 1 &&
    typeof key === "string" &&
    [newest, raised, suppressed].every(Number.isFinite) &&
    (marks === undefined ? logs !== undefined : Array.isArray(marks) && marks.every(isMark)) &&
    (alertTimes === undefined || (Array.isArray(alertTimes) && alertTimes.every(Number.isFinite))) &&
    Array.isArray(alertRanges) &&
    alertRanges.every((one) => Number.isFinite(one?.[0]) && Number.isFinite(one[1]))
  );
}

function isMark(value: unknown): value is Mark {
  const { at, n } = (value ?? {}) as Partial<Mark>;
  return Number.isFinite(at) && Number.isFinite(n);
}

/** As earlier versions stored what was counted. */
type PackedState = { marks?: Mark[] };

/** The order of what is written. Add names at the end only. */
const STATE = [
  ...["newest", "marks", "raised", "suppressed", "alertTimes", "key", "floor", "active", "ended"],
  ...["pending", "parts", "decimals", "isPast", "last", "logs", "segments", "cells"],
  ...["lastAt", "reminders", "soon", "held", "subject", "holding", "noticed", "over", "holdsFrom", "noEnd"],
  ...["reachedAt", "alertRanges", "from"],
] as const satisfies ReadonlyArray<keyof StoredState | "marks" | "segments">;
const MARK = [
  ...["at", "id", "n", "place", "tx", "says", "alert", "used", "moved", "movedAt", "also", "amount"],
] as const satisfies ReadonlyArray<keyof Mark | "used">;
const ALERT = [
  ...["id", "count", "suppressed", "sum", "usual", "reminder", "changes", "lastAt", "decimals"],
] as const;

/** The state of a key as short text: a key beyond the limit of those in memory may be one of many. */
export function packed(recordKey: string, state: KeyState): string {
  const { logs, ...stored } = storedOf(state);
  const { open = [], segments = [] } = logs ?? {};
  const key = recordKey === `=${state.key}` ? undefined : state.key;
  const changes = open.map(([no, mark]) => (mark === undefined ? [no] : [no, packedMark(mark)]));
  const more = { logs: changes, ...(segments.length > 0 && { segments }) };
  return JSON.stringify(listOf(STATE, { ...stored, ...more, key }));
}

/** Undefined for what is no packed state. What it has is not checked. */
export function unpacked(recordKey: string, text: string): unknown {
  try {
    const { marks, logs, segments, ...state } = objectOf(STATE, JSON.parse(text));
    const whole = { v: 1, key: recordKey.slice(1), ...state };
    if (marks !== undefined) return { ...whole, marks: (marks as unknown[]).map(unpackedMark) };
    const open = (logs as unknown[][]).map(([no, ...mark]) =>
      mark.length === 0 ? [no] : [no, unpackedMark(mark[0])],
    ) as Array<Change<Mark>>;
    return { ...whole, logs: { open, ...(segments !== undefined && { segments }) } as StoredJournal<Mark> };
  } catch {
    return undefined;
  }
}

function packedMark(mark: Mark): unknown[] {
  return listOf(MARK, { ...mark, alert: mark.alert && listOf(ALERT, mark.alert) });
}

function unpackedMark(list: unknown): Record<string, unknown> {
  const { alert, ...mark } = objectOf(MARK, list);
  return alert === undefined ? mark : { ...mark, alert: objectOf(ALERT, alert) };
}

function listOf(names: readonly string[], object: object): unknown[] {
  const values = names.map((name) => (object as Record<string, unknown>)[name] ?? null);
  return values.slice(0, values.findLastIndex((value) => value !== null) + 1);
}

function objectOf(names: readonly string[], list: unknown): Record<string, unknown> {
  const values = (list as unknown[]).map((value, index) => [names[index], value] as const);
  return Object.fromEntries(values.filter(([name, value]) => name !== undefined && value !== null));
}
