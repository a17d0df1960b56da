import type { FileCursorStoreOptions } from "../../../src/index.ts";
import { type ClockReading, elapsedSince, readClocks, systemClock } from "../../../src/timing/clock.ts";
import { type CodedError, nodeError } from "../shared/errors.ts";
import type { LockFile } from "./lock-file.ts";
import { stateFiles } from "./state-files.ts";

/** The file that shows others whose folder it is. */
type Shown = Pick<LockFile, "beat" | "remove" | "removeNow" | "close">;

type Files = NonNullable<FileCursorStoreOptions["files"]>;

/** The time for which a folder is this process's, until it is given back or found to be another's. */
export class FolderLease {
  readonly #file: Shown;
  readonly #leaseMs: number;
  readonly #over = new AbortController();
  #renewedAt: ClockReading;
  #renewing: Promise<void> | undefined;

  /** `since` is when the file was begun to be made. */
  constructor(file: Shown, { leaseMs, since }: { leaseMs: number; since: ClockReading }) {
    this.#file = file;
    this.#leaseMs = leaseMs;
    this.#renewedAt = since;
  }

  /** Aborted when the folder is not this process's any more. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Whether no other process can have the folder now. Looks at no file: it may be asked for each event. */
  get isSure(): boolean {
    return !this.over.aborted && elapsedSince(this.#renewedAt, systemClock) < this.#leaseMs;
  }

  /**
   * Resolves when no other process can have the folder now. Throws `FOLDER_IN_USE` once it is not this process's any
   * more, and what the disk throws while that cannot be known.
   */
  async confirm(): Promise<void> {
    while (!this.isSure) await this.renew();
  }

  /** Shows that this process is alive, and makes sure that the folder is still its own. Throws as `confirm` does. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  /** Gives the folder back. */
  async end(): Promise<void> {
    this.#over.abort();
    // A beat under way would make the file again.
    await this.#renewing?.catch(() => {});
    await this.#file.remove();
  }

  /** The same in one go, for the end of the process. */
  endNow(): void {
    const isOwn = this.isSure;
    this.#over.abort();
    if (isOwn) this.#file.removeNow();
  }

  async #renew(): Promise<void> {
    const at = readClocks(systemClock);
    if (this.over.aborted) throw folderInUse();
    let isOwn: boolean;
    try {
      isOwn = await this.#file.beat();
    } catch (error) {
      // By now others may take this process for gone.
      if (!this.isSure) await this.#lose();
      throw error;
    }
    if (!isOwn) await this.#lose();
    if (this.over.aborted) throw folderInUse();
    this.#renewedAt = at;
  }

  async #lose(): Promise<void> {
    this.#over.abort();
    await this.#file.close();
  }
}

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

export function folderInUse(): CodedError {
  return nodeError(
    "FOLDER_IN_USE",
    "Another Node-RED uses the state folder. This one is the standby: it continues when the other one ends.",
  );
}
