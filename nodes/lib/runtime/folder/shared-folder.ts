import { join } from "node:path";
import { FolderLock, type FolderState } from "./folder-lock.ts";

type Listener = (state: FolderState) => void;
type Shared = { lock: FolderLock; users: Set<Listener>; leaving: NodeJS.Timeout | undefined };

/** Ends in no `.json`, as all cursors do. */
const LOCK_FILE = ".in-use";
/** A deploy takes all nodes away and puts them back: meanwhile the folder is kept. */
const KEEP_MS = 10_000;

/** By folder: all nodes of this process use it as one. */
const folders = new Map<string, Shared>();

/**
 * Uses a folder together with all other nodes of this process. The listener is called with the state, now and at each
 * change; `onChange` is that of the process, called once however many nodes there are. Gives the function that
 * leaves the folder.
 */
export function useFolder(
  folder: string,
  listener: Listener,
  onChange: (state: FolderState) => void = () => {},
): () => void {
  const shared = folders.get(folder) ?? share(folder, onChange);
  clearTimeout(shared.leaving);
  shared.users.add(listener);
  shared.lock.start();
  listener(shared.lock.state);
  return () => {
    if (!shared.users.delete(listener) || shared.users.size > 0) return;
    shared.leaving = setTimeout(() => void shared.lock.stop(), KEEP_MS).unref();
  };
}

function share(folder: string, onChange: (state: FolderState) => void): Shared {
  const users = new Set<Listener>();
  const lock = new FolderLock(join(folder, LOCK_FILE), (state) => {
    onChange(state);
    for (const listener of [...users]) listener(state);
  });
  const shared: Shared = { lock, users, leaving: undefined };
  folders.set(folder, shared);
  process.once("exit", () => lock.stopNow());
  return shared;
}
