import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { NodeAPI } from "node-red";
import { cleanUp } from "../folder/clean-up.ts";
import { hasFormerState, lockedStateFolder } from "../folder/migrate-state.ts";
import { LOCK_FILE, useFolder, useLock } from "../folder/shared-folder.ts";
import { stateFolder, stateFolderFor } from "../folder/state-folder.ts";
import { processWide } from "../process-wide.ts";

/** This process, in the names of its files. */
export const OWNER = processWide("owner", randomUUID);
/** A process that is alive writes to its lock file every few seconds. */
const OLD_MS = 7 * 24 * 60 * 60 * 1000;
/** Of files that were written before their names said whose they are. */
export const NO_OWNER = "former";

/**
 * Who waits. Several processes may use one state folder, each with messages of its own that wait. A process has a lock
 * file while it has waits; another one resumes them only when it has got that lock, since the process has ended.
 */
export class TaskOwners {
  readonly #RED: NodeAPI;
  readonly #leaving: Array<() => void> = [];
  #own: Promise<void> | undefined;

  constructor(RED: NodeAPI) {
    this.#RED = RED;
    // Nothing else may use the state folder here, to take over what is in its former place.
    if (hasFormerState(stateFolder(RED))) this.#leaving.push(useFolder(lockedStateFolder(RED), () => {}));
  }

  /**
   * From now on this process says that it is alive. Resolves when others can see it, or when that cannot be written.
   * `onLost` is called when others may have taken it for gone, since it was suspended.
   */
  beAlive(onLost: () => void): Promise<void> {
    if (this.#own === undefined) void removeOldLocks(this.#RED);
    this.#own ??= new Promise((resolve) => {
      const leave = useLock(this.#pathOf(OWNER), (state) => {
        if (state.kind === "elsewhere") onLost();
        if (state.kind === "held" || state.kind === "error") resolve();
      });
      this.#leaving.push(leave);
    });
    return this.#own;
  }

  /**
   * Calls `take` when a process has ended: no other process does the same meanwhile. The promise resolves when that was
   * done, or when the process is seen to be alive; `take` may then still be called later.
   */
  whenGone(owner: string, take: () => Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      let isTaken = false;
      const leave = useLock(this.#pathOf(owner), (state) => {
        if (state.kind === "error" || (state.kind === "elsewhere" && state.isAlive)) resolve();
        if (state.kind !== "held" || isTaken) return;
        isTaken = true;
        void take().finally(() => {
          leave();
          resolve();
        });
      });
      this.#leaving.push(leave);
    });
  }

  close(): void {
    for (const leave of this.#leaving.splice(0)) leave();
  }

  #pathOf(owner: string): string {
    return join(stateFolderFor(this.#RED, "waits"), `${LOCK_FILE}-${owner}`);
  }
}

/** A crash leaves a lock file, which nobody needs once its waits are taken up. Never rejects. */
export function removeOldLocks(RED: NodeAPI): Promise<void> {
  return cleanUp(RED, stateFolderFor(RED, "waits"), {
    leastAgeMs: OLD_MS,
    isOld: ({ writtenAt }) => Date.now() - writtenAt > OLD_MS,
    isCandidate: (name) => name.startsWith(LOCK_FILE),
  });
}
