import { Journal } from "../journal/journal.ts";
import { readJournal, sealed } from "../journal/stored-journal.ts";
import type { AlertStore } from "../types.ts";
import type { RecordForm } from "./cached-record.ts";
import { Cells, isStoredCell } from "./cells.ts";
import { Logs } from "./logs.ts";
import { type PackedState, type StoredState, storedOf, unpacked } from "./packed-state.ts";
import { areOutcomes, pendingOf } from "./pending.ts";
import type { KeyState, Mark } from "./state.ts";

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
