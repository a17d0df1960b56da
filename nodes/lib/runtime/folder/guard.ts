import type { FileCursorStoreOptions } from "../../../../src/index.ts";
import { stateFiles } from "./state-files.ts";
import type { Tenure } from "./tenure.ts";

type Files = NonNullable<FileCursorStoreOptions["files"]>;

/**
 * The file operations of a store, of which those that write are carried out only while the folder is this process's.
 * A suspended process would otherwise overwrite the cursor of its successor when it resumes.
 */
export function guardedFiles(tenure: Pick<Tenure, "confirm">): Files {
  return {
    ...stateFiles,
    open: async (path, flags, mode) => {
      if (flags !== undefined && flags !== "r") await tenure.confirm();
      return stateFiles.open(path, flags, mode);
    },
    rm: async (path, options) => {
      await tenure.confirm();
      return stateFiles.rm(path, options);
    },
    rename: async (from, to) => {
      await tenure.confirm();
      return stateFiles.rename(from, to);
    },
  };
}

/** Calls only while this process has the folder; without a tenure, always. Throws as `Tenure.confirm` does. */
export function guarded<In extends unknown[]>(
  tenure: Pick<Tenure, "confirm" | "isSure"> | undefined,
  call: (...input: In) => Promise<void> | void,
): (...input: In) => Promise<void> | void {
  if (tenure === undefined) return call;
  return (...input) => (tenure.isSure ? call(...input) : tenure.confirm().then(() => call(...input)));
}
