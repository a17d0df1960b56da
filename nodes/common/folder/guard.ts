import type { FileCursorStoreOptions } from "../../../src/index.ts";
import type { FolderLease } from "./folder-lease.ts";
import { stateFiles } from "./state-files.ts";

type Files = NonNullable<FileCursorStoreOptions["files"]>;

/**
 * The file operations of a store, of which those that write are carried out only while the folder is this process's.
 * A suspended process would otherwise overwrite the cursor of its successor when it resumes.
 */
export function guardedFiles(folderLease: Pick<FolderLease, "confirm">): Files {
  return {
    ...stateFiles,
    open: async (path, flags, mode) => {
      if (flags !== undefined && flags !== "r") await folderLease.confirm();
      return stateFiles.open(path, flags, mode);
    },
    rm: async (path, options) => {
      await folderLease.confirm();
      return stateFiles.rm(path, options);
    },
    rename: async (from, to) => {
      await folderLease.confirm();
      return stateFiles.rename(from, to);
    },
  };
}

/** Calls only while this process has the folder; without a lease, always. Throws as `FolderLease.confirm` does. */
export function guarded<In extends unknown[]>(
  folderLease: Pick<FolderLease, "confirm" | "isSure"> | undefined,
  call: (...input: In) => Promise<void> | void,
): (...input: In) => Promise<void> | void {
  if (folderLease === undefined) return call;
  return (...input) =>
    folderLease.isSure ? call(...input) : folderLease.confirm().then(() => call(...input));
}
