import type { Journal, StoredJournal } from "../journal/journal.ts";
import type { StoredCell } from "./cells.ts";
import type { KeyState, Mark } from "./state.ts";

/** The state of a key as its record has it. */
export type StoredState = Omit<KeyState, "logs" | "cells" | "pending"> & {
  logs?: StoredJournal<Mark>;
  cells?: StoredJournal<StoredCell>;
  pending?: unknown;
};

/** What the record of a state has. */
export function storedOf({ logs, cells, pending, ...state }: KeyState): StoredState {
  return {
    ...state,
    logs: logs.journal.toJSON(),
    ...(isEmpty(cells.journal) ? {} : { cells: cells.journal.toJSON() }),
    ...(pending === undefined || isEmpty(pending) ? {} : { pending: pending.toJSON() }),
  };
}

function isEmpty({ size, stored }: Journal<unknown>): boolean {
  return size === 0 && stored === 0;
}
