import type { FolderLease } from "./folder-lease.ts";
import type { FolderState } from "./folder-lock.ts";
import { useFolder } from "./shared-folder.ts";

type HeldOptions = {
  /** Called when the folder is this process's, and again when it is so again. */
  open: (folderLease: FolderLease) => Promise<void>;
  /** Called at the moment the folder is lost. The next `open` waits for it. */
  close: () => Promise<void>;
  onState: (state: FolderState) => void;
  /** Of the process: see `useFolder`. */
  onChange: (state: FolderState) => void;
  /** Ends it all; nothing is closed then. */
  signal: AbortSignal;
};

/** Has something open only while a folder is this process's. Neither call may throw. Gives the function that leaves it. */
export function withLease(folder: string, options: HeldOptions): () => void {
  const { open, close, onState, onChange, signal } = options;
  let work: Promise<void> = Promise.resolve();
  const listener = (state: FolderState): void => {
    onState(state);
    if (state.kind !== "held") return;
    const { folderLease } = state;
    const lose = (): void => {
      const closed = close();
      work = work.then(() => closed);
    };
    folderLease.over.addEventListener("abort", lose, { once: true, signal });
    work = work.then(() => (folderLease.over.aborted || signal.aborted ? undefined : open(folderLease)));
  };
  return useFolder(folder, listener, onChange);
}
