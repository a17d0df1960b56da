import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readClocks, systemClock } from "../../../src/timing/clock.ts";
import { processWide } from "../process-wide.ts";
import { toCodedError } from "../shared/errors.ts";
import { FolderLease } from "./folder-lease.ts";
import { FolderLock, type FolderState } from "./folder-lock.ts";

type Listener = (state: FolderState) => void;

/** What is done when this process has the folder, before its users are told. It may report other states meanwhile. */
type Prepare = (signal: AbortSignal, report: Listener) => Promise<void>;

type Shared = {
  lock: Pick<FolderLock, "start" | "stop" | "stopNow">;
  /** As its users know it. */
  state: FolderState;
  users: Set<Listener>;
  leaving: NodeJS.Timeout | undefined;
};

/** Ends in no `.json`, as all cursors do. */
export const LOCK_FILE = ".in-use";
/** After it failed. */
const PREPARE_AGAIN_MS = 5_000;
/** A deploy takes all nodes away and puts them back: meanwhile the folder is kept. */
const KEEP_MS = 10_000;
/** By the path of the lock file: all nodes of this process use a lock as one. */
const locks = processWide("locks", () => new Map<string, Shared>());
const preparations = processWide("lock-preparations", () => new Map<string, Prepare>());

type HeldOptions = {
  /** Called when the folder is this process's, and again when it is so again. */
  open: (lease: FolderLease) => Promise<void>;
  /** Called at the moment the folder is lost. The next `open` waits for it. */
  close: () => Promise<void>;
  onState: (state: FolderState) => void;
  /** Of the process: see `useFolder`. */
  onChange: (state: FolderState) => void;
  /** Ends it all; nothing is closed then. */
  signal: AbortSignal;
};

/** From now on, this is done each time this process gets the folder. */
export function prepareFolder(folder: string, prepare: Prepare): void {
  preparations.set(lockOf(folder), prepare);
}

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
  return useLock(lockOf(folder), listener, onChange);
}

/** As `useFolder`, with the path of a lock file. */
export function useLock(path: string, listener: Listener, onChange: Listener = () => {}): () => void {
  const shared = locks.get(path) ?? share(path, onChange);
  clearTimeout(shared.leaving);
  shared.users.add(listener);
  shared.lock.start();
  listener(shared.state);
  return () => {
    if (!shared.users.delete(listener) || shared.users.size > 0) return;
    shared.leaving = setTimeout(() => void shared.lock.stop(), KEEP_MS).unref();
  };
}

/** A folder of which no other process can know: it is this one's, without a lock file, and without a heartbeat. */
export function holdAlone(folder: string): void {
  const nothing = async () => {};
  const file = { heartbeat: async () => true, remove: nothing, removeNow: () => {}, close: nothing };
  const lease = new FolderLease(file, {
    leaseMs: Number.POSITIVE_INFINITY,
    since: readClocks(systemClock),
  });
  const lock = { start: () => {}, stop: nothing, stopNow: () => {} };
  locks.set(lockOf(folder), {
    lock,
    state: { kind: "held", lease },
    users: new Set(),
    leaving: undefined,
  });
}

function lockOf(folder: string): string {
  return join(folder, LOCK_FILE);
}

function share(path: string, onChange: Listener): Shared {
  const users = new Set<Listener>();
  const tell = (state: FolderState): void => {
    shared.state = state;
    onChange(state);
    for (const listener of [...users]) listener(state);
  };
  const lock = new FolderLock(path, (state) => {
    const prepare = preparations.get(path);
    if (state.kind !== "held" || prepare === undefined) tell(state);
    else void prepared(prepare, state.lease.over, tell).then((isReady) => isReady && tell(state));
  });
  const shared: Shared = { lock, state: lock.state, users, leaving: undefined };
  if (locks.size === 0) process.once("exit", stopAllNow);
  locks.set(path, shared);
  return shared;
}

function stopAllNow(): void {
  for (const { lock } of locks.values()) lock.stopNow();
}

/** Whether it succeeded before this process lost the folder. */
async function prepared(prepare: Prepare, over: AbortSignal, tell: Listener): Promise<boolean> {
  const report: Listener = (state) => {
    if (!over.aborted) tell(state);
  };
  while (!over.aborted) {
    try {
      await prepare(over, report);
      return !over.aborted;
    } catch (error) {
      report({ kind: "error", error: toCodedError(error) });
      await sleep(PREPARE_AGAIN_MS, undefined, { signal: over, ref: false }).catch(() => {});
    }
  }
  return false;
}

/** Has something open only while a folder is this process's. Neither call may throw. Gives the function that leaves it. */
export function withLease(folder: string, options: HeldOptions): () => void {
  const { open, close, onState, onChange, signal } = options;
  let work: Promise<void> = Promise.resolve();
  const listener = (state: FolderState): void => {
    onState(state);
    if (state.kind !== "held") return;
    const { lease } = state;
    const lose = (): void => {
      const closed = close();
      work = work.then(() => closed);
    };
    lease.over.addEventListener("abort", lose, { once: true, signal });
    work = work.then(() => (lease.over.aborted || signal.aborted ? undefined : open(lease)));
  };
  return useFolder(folder, listener, onChange);
}
