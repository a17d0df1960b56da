import type { FileCursorStoreOptions } from "../../../src/index.ts";
import { Tenure, type UnfencedLease } from "../../../src/ownership/tenure.ts";
import { type ClockReading, readClocks, systemClock } from "../../../src/timing/clock.ts";
import { type CodedError, nodeError } from "../shared/errors.ts";
import type { LockFile } from "./lock-file.ts";
import { stateFiles } from "./state-files.ts";

/** The file that shows others whose folder it is. */
type Shown = Pick<LockFile, "heartbeat" | "remove" | "removeNow" | "close">;

type Files = NonNullable<FileCursorStoreOptions["files"]>;

/** The time for which a folder is this process's, until it is given back or found to be another's. */
export class FolderLease implements UnfencedLease {
  readonly #file: Shown;
  readonly #tenure: Tenure;
  #renewing: Promise<void> | undefined;

  /** `since` is when the file was begun to be made. */
  constructor(file: Shown, { leaseMs, since }: { leaseMs: number; since: ClockReading }) {
    this.#file = file;
    this.#tenure = new Tenure({ ms: leaseMs, since, clock: systemClock });
  }

  /** Aborted when the folder is not this process's any more. */
  get over(): AbortSignal {
    return this.#tenure.over;
  }

  /** Whether no other process can have the folder now. Looks at no file: it may be asked for each event. */
  get isSure(): boolean {
    return this.#tenure.isSure;
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
    this.#tenure.end();
    // A heartbeat under way would make the file again.
    await this.#renewing?.catch(() => {});
    await this.#file.remove();
  }

  /** The same in one go, for the end of the process. */
  endNow(): void {
    const isOwn = this.isSure;
    this.#tenure.end();
    if (isOwn) this.#file.removeNow();
  }

  async #renew(): Promise<void> {
    const at = readClocks(systemClock);
    if (this.over.aborted) throw folderInUse();
    let isOwn: boolean;
    try {
      isOwn = await this.#file.heartbeat();
    } catch (error) {
      // By now others may take this process for gone.
      if (!this.isSure) await this.#lose();
      throw error;
    }
    if (!isOwn) await this.#lose();
    if (this.over.aborted) throw folderInUse();
    this.#tenure.renewed(at);
  }

  async #lose(): Promise<void> {
    this.#tenure.end();
    await this.#file.close();
  }
}

/**
 * The file operations of a store, of which those that write are carried out only while the folder is this process's.
 * A suspended process would otherwise overwrite the cursor of its successor when it resumes.
 */
export function guardedFiles(lease: Pick<FolderLease, "confirm">): Files {
  return {
    ...stateFiles,
    open: async (path, flags, mode) => {
      if (flags !== undefined && flags !== "r") await lease.confirm();
      return stateFiles.open(path, flags, mode);
    },
    rm: async (path, options) => {
      await lease.confirm();
      return stateFiles.rm(path, options);
    },
    rename: async (from, to) => {
      await lease.confirm();
      return stateFiles.rename(from, to);
    },
  };
}

/** Calls only while this process has the folder. Throws as `FolderLease.confirm` does. */
export function guarded<In extends unknown[]>(
  lease: Pick<FolderLease, "confirm" | "isSure">,
  call: (...input: In) => Promise<void> | void,
): (...input: In) => Promise<void> | void {
  return (...input) => (lease.isSure ? call(...input) : lease.confirm().then(() => call(...input)));
}

export function folderInUse(): CodedError {
  return nodeError(
    "FOLDER_IN_USE",
    "Another Node-RED uses the state folder. This one is the standby: it continues when the other one ends.",
  );
}
