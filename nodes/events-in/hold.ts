import type { FileCursorStoreOptions } from "../../src/index.ts";
import { type FolderLease, guarded, guardedFiles } from "../common/folder/folder-lease.ts";
import { stateFiles } from "../common/folder/state-files.ts";
import type { Leased } from "./cursor-store.ts";

/** By what this process may move a cursor: no other one can, or it has the folder of its file, or a lease that copies share. */
export type Hold = {
  /** Aborted when this process may not move it any more. */
  over: AbortSignal | undefined;
  /** For a cursor in a file. A lock file cannot stop what is written too late, so its lease is confirmed before. */
  files: NonNullable<FileCursorStoreOptions["files"]>;
  /** Calls only while this process may move the cursor, where nothing else stops a late call. */
  guard<In extends unknown[]>(
    call: (...input: In) => Promise<void> | void,
  ): (...input: In) => Promise<void> | void;
  /** Set where a shared state keeps the cursor, which refuses what is written too late. */
  leased: Leased | undefined;
};

/** For a cursor that is this Node-RED's alone. */
export const ALONE: Hold = {
  ...{ over: undefined, leased: undefined },
  files: stateFiles,
  guard: (call) => call,
};

export function byFolder(lease: FolderLease): Hold {
  return {
    ...{ over: lease.over, leased: undefined },
    files: guardedFiles(lease),
    guard: (call) => guarded(lease, call),
  };
}

export function byLease(leased: Leased): Hold {
  return { ...ALONE, over: leased.lease.over, leased };
}
