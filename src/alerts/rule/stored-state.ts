import type { Journal, StoredJournal } from "../journal/journal.ts";
import type { StoredCell } from "./cells.ts";
import type { KeyState, Mark } from "./state.ts";

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
