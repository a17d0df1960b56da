import type { Change, Journal, StoredJournal } from "../journal/journal.ts";
import type { StoredCell } from "./cells.ts";
import type { KeyState, Mark } from "./state.ts";

/** As earlier versions stored what was counted. */
export type PackedState = { marks?: Mark[] };

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
