import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "../../../src/storage/durable-files.ts";
import { fileAdvice } from "../../../src/storage/file-advice.ts";
import { type ClockReading, readClocks, systemClock } from "../../../src/timing/clock.ts";
import { type CodedError, nodeError } from "../shared/errors.ts";
import { FolderLease } from "./folder-lease.ts";
import { type Holder, holderIn, LockFile, readLock } from "./lock-file.ts";
import { isGone, ownIdentity } from "./process-identity.ts";
import { isNotPermitted } from "./state-files.ts";

/** Which process uses a folder, as seen by this one. */
export type FolderState =
  | { kind: "looking" }
  | { kind: "held"; lease: FolderLease }
  /**
   * Another process has it; undefined where its lock file does not say which. `isAlive`: it has written to the file
   * since this one watches; before that it may have crashed. `lost`: it took it from this one.
   */
  | { kind: "elsewhere"; holder: Holder | undefined; isAlive: boolean; lost: boolean }
  /** It cannot be known; it is tried again. */
  | { kind: "error"; error: CodedError };

/** All in milliseconds. `leaseMs` has to be well below `staleMs`. */
export type LockTimes = {
  /** The holder shows this often that it is alive, */
  heartbeatMs: number;
  /** and relies on that for so long. */
  leaseMs: number;
  /** Others look this often, */
  lookMs: number;
  /** and take it for gone when they have seen the same for so long. */
  staleMs: number;
};

export const LOCK_TIMES: LockTimes = { heartbeatMs: 3_000, leaseMs: 10_000, lookMs: 1_000, staleMs: 15_000 };

/**
 * Keeps a folder for one process at a time, by a file in it that the process writes to as long as it is alive. Works
 * between containers and machines too, as far as they share the folder: no clocks are compared. A process that finds the
 * file of another waits until that is removed, or has not changed for some time, or its process has certainly ended; then
 * it replaces the file by its own.
 *
 * No lock of this kind can stop a process in the middle of a step. So a process that was suspended has to ask its `FolderLease`
 * before each step that only the holder may take.
 */
export class FolderLock {
  readonly #path: string;
  readonly #onState: (state: FolderState) => void;
  readonly #times: LockTimes;
  readonly #id = randomUUID();
  #state: FolderState = { kind: "looking" };
  #run: AbortController | undefined;
  #ended: Promise<void> = Promise.resolve();
  #seen: { text: string; at: number; unchangedMs: number; hasChanged: boolean } | undefined;

  /** `path` is that of the lock file. */
  constructor(path: string, onState: (state: FolderState) => void, times: LockTimes = LOCK_TIMES) {
    this.#path = path;
    this.#onState = onState;
    this.#times = times;
  }

  get state(): FolderState {
    return this.#state;
  }

  /** Waits for the folder, and keeps it. Does nothing when it does so already. */
  start(): void {
    if (this.#run !== undefined) return;
    const run = new AbortController();
    this.#run = run;
    this.#ended = this.#ended.then(() => this.#keep(run.signal));
  }

  /** Gives the folder back. */
  async stop(): Promise<void> {
    this.#run?.abort();
    this.#run = undefined;
    await this.#ended;
  }

  /** The same in one go, for the end of the process. */
  stopNow(): void {
    this.#run?.abort();
    if (this.#state.kind === "held") this.#state.lease.endNow();
  }

  async #keep(signal: AbortSignal): Promise<void> {
    this.#seen = undefined;
    let lost = false;
    while (!signal.aborted) {
      try {
        const lease = await this.#look(lost);
        if (lease !== undefined) {
          lost = await this.#hold(lease, signal);
          continue;
        }
      } catch (cause) {
        this.#show({ kind: "error", error: notLocked(this.#path, cause) });
      }
      await pause(this.#times.lookMs, signal);
    }
    this.#show({ kind: "looking" });
  }

  /** One look at the lock file: takes the folder where it is free. */
  async #look(lost: boolean): Promise<FolderLease | undefined> {
    const since = readClocks(systemClock);
    const text = await readLock(this.#path);
    if (text === undefined)
      return this.#leaseOf(await LockFile.create(this.#path, await this.#self()), since);
    const holder = holderIn(text);
    const { unchangedMs, hasChanged } = this.#watch(text);
    const { staleMs } = this.#times;
    const isFree =
      holder?.id === this.#id ||
      unchangedMs >= staleMs ||
      (holder?.process !== undefined && (await isGone(holder.process)));
    if (!isFree) {
      this.#show({ kind: "elsewhere", holder, isAlive: hasChanged || lost, lost });
      return undefined;
    }
    const stale = { text, insist: unchangedMs >= 2 * staleMs };
    const file = await LockFile.replace(this.#path, await this.#self(), stale);
    return this.#leaseOf(file, since);
  }

  /** For how long this text was seen unchanged. What was not watched, because this process slept, does not count. */
  #watch(text: string): { unchangedMs: number; hasChanged: boolean } {
    const [now, before] = [performance.now(), this.#seen];
    const watchedMs = Math.min(now - (before?.at ?? now), 2 * this.#times.lookMs);
    const unchangedMs = before?.text === text ? before.unchangedMs + watchedMs : 0;
    const hasChanged = before !== undefined && (before.hasChanged || before.text !== text);
    this.#seen = { text, at: now, unchangedMs, hasChanged };
    return this.#seen;
  }

  #leaseOf(file: LockFile | undefined, since: ClockReading): FolderLease | undefined {
    return file && new FolderLease(file, { leaseMs: this.#times.leaseMs, since });
  }

  /** Keeps the folder until it is given back or lost. Tells whether it was lost. */
  async #hold(lease: FolderLease, signal: AbortSignal): Promise<boolean> {
    this.#seen = undefined;
    this.#show({ kind: "held", lease });
    const isOver = AbortSignal.any([signal, lease.over]);
    while (!isOver.aborted) {
      await pause(this.#times.heartbeatMs, isOver);
      // While it cannot be renewed, the lease itself knows for how long it may be relied on.
      if (!isOver.aborted) await lease.renew().catch(() => {});
    }
    if (!signal.aborted) return true;
    await lease.end().catch(() => {});
    return false;
  }

  async #self(): Promise<Holder> {
    const identity = await ownIdentity();
    const since = new Date().toISOString();
    const where = { host: hostname(), pid: process.pid };
    return { id: this.#id, ...where, since, ...(identity && { process: identity }) };
  }

  #show(state: FolderState): void {
    const isSame =
      (state.kind === "looking" && this.#state.kind === "looking") ||
      (state.kind === "elsewhere" &&
        this.#state.kind === "elsewhere" &&
        state.holder?.id === this.#state.holder?.id &&
        state.isAlive === this.#state.isAlive) ||
      (state.kind === "error" &&
        this.#state.kind === "error" &&
        state.error.message === this.#state.error.message);
    this.#state = state;
    if (!isSame) this.#onState(state);
  }
}

/** Does not keep the process alive. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => {});
}

function notLocked(path: string, cause: unknown): CodedError {
  if (isNotPermitted(cause)) return cause;
  return nodeError(
    "FOLDER_NOT_LOCKED",
    `The state folder cannot be written (${codeOf(cause) ?? cause}). ${fileAdvice(cause)}. No event is sent until it can be written; it is tried again. Folder: ${dirname(path)}`,
    cause,
  );
}
