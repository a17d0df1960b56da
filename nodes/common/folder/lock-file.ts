import { readFileSync, unlinkSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf, readIfThere, renameOver } from "../../../src/storage/durable-files.ts";
import { isProcessIdentity, type ProcessIdentity } from "./process-identity.ts";
import { stateFiles } from "./state-files.ts";

const { mkdir, open, rm } = stateFiles;

/** The process that uses a folder, as its lock file says. */
export type Holder = {
  /** Random: two containers may have the same process id and host name. */
  id: string;
  host: string;
  pid: number;
  /** ISO time by the holder's clock: for people, nothing is reckoned with it. */
  since: string;
  /** Where it can be known for certain whether the holder is gone. */
  process?: ProcessIdentity;
};

/** After it has taken a lock over, a process looks once more whether it has it. */
const CONFIRM_MS = 300;
const HEARTBEAT_DIGITS = 12;

/**
 * A lock file that this process has made. It writes through the handle it was made with: once another process has
 * put a file of its own in its place, what this one writes, however late, goes into the one that was taken away.
 */
export class LockFile {
  readonly #path: string;
  readonly #holder: Holder;
  #handle: FileHandle;
  #heartbeats = 0;

  private constructor(path: string, holder: Holder, handle: FileHandle) {
    this.#path = path;
    this.#holder = holder;
    this.#handle = handle;
  }

  /** Creates the file; undefined if it exists. Throws the errors of the disk. */
  static async create(path: string, holder: Holder): Promise<LockFile | undefined> {
    const handle = await makeNew(path, textOf(holder, 0));
    return handle && new LockFile(path, holder, handle);
  }

  /**
   * Puts the own file in the place of one that has this text, and whose holder is gone. Undefined where another process
   * was quicker. Only who makes the file named after the former holder may do it, so of several one does; what is
   * left of one that was killed over it is removed with `insist`. Throws what the disk throws.
   */
  static async replace(
    path: string,
    holder: Holder,
    { text, insist }: { text: string; insist: boolean },
  ): Promise<LockFile | undefined> {
    const turn = `${path}.after-${holderIn(text)?.id ?? "unknown"}`;
    if (insist) await rm(turn, { force: true });
    const turnTaken = await makeNew(turn, holder.id);
    if (turnTaken === undefined) return undefined;
    let handle: FileHandle | undefined;
    try {
      await turnTaken.close();
      if ((await readLock(path)) !== text) return undefined;
      const temporary = `${path}.${holder.id}.tmp`;
      await rm(temporary, { force: true });
      handle = await makeNew(temporary, textOf(holder, 0));
      await renameOver(temporary, path, { rename: stateFiles.rename });
    } catch (error) {
      await handle?.close();
      throw error;
    } finally {
      await rm(turn, { force: true });
    }
    if (handle === undefined) return undefined;
    // Two may have insisted: the last that put its file there has it.
    await sleep(CONFIRM_MS);
    const file = new LockFile(path, holder, handle);
    if (await file.isThere()) return file;
    await file.close();
    return undefined;
  }

  /**
   * Shows that the holder is alive. Returns whether the file is still its own; one that was removed is created
   * again. Throws what the disk throws.
   */
  async heartbeat(): Promise<boolean> {
    this.#heartbeats += 1;
    await this.#handle.write(textOf(this.#holder, this.#heartbeats), 0);
    await this.#handle.datasync();
    const text = await readLock(this.#path);
    if (text !== undefined) return this.#isOwn(text);
    const handle = await makeNew(this.#path, textOf(this.#holder, this.#heartbeats));
    if (handle === undefined) return this.isThere();
    await this.close();
    this.#handle = handle;
    return true;
  }

  async isThere(): Promise<boolean> {
    const text = await readLock(this.#path);
    return text !== undefined && this.#isOwn(text);
  }

  /** Lets go of the file, and leaves it where it is. */
  async close(): Promise<void> {
    await this.#handle.close().catch(() => {});
  }

  /** Removes the file, if it is still the own one. */
  async remove(): Promise<void> {
    await this.close();
    if (await this.isThere()) await rm(this.#path, { force: true });
  }

  /** The same in one go, for the end of the process. Never throws. */
  removeNow(): void {
    try {
      if (this.#isOwn(readFileSync(this.#path, "utf8"))) unlinkSync(this.#path);
    } catch {}
  }

  #isOwn(text: string): boolean {
    return holderIn(text)?.id === this.#holder.id;
  }
}

/** The content of a lock file; undefined if it is missing. Throws the errors of the disk. */
export function readLock(path: string): Promise<string | undefined> {
  return readIfThere(path, stateFiles);
}

/** Who made a lock file; undefined where it is half written, or not one. */
export function holderIn(text: string): Holder | undefined {
  try {
    const found: unknown = JSON.parse(text);
    if (typeof found !== "object" || found === null) return undefined;
    const { id, host, pid, since, process } = found as Record<string, unknown>;
    // The id becomes part of a file's name.
    if (typeof id !== "string" || !/^[0-9a-f-]{1,64}$/.test(id)) return undefined;
    return {
      ...{ id, host: String(host), pid: Number(pid), since: String(since) },
      ...(isProcessIdentity(process) ? { process } : {}),
    };
  } catch {
    return undefined;
  }
}

/** The same length for the same holder, so that it can be overwritten. */
function textOf(holder: Holder, heartbeats: number): string {
  return `${JSON.stringify({ ...holder, beat: String(heartbeats).padStart(HEARTBEAT_DIGITS, "0") })}\n`;
}

/** A new file with this text; undefined where there is one of that name. */
async function makeNew(path: string, text: string): Promise<FileHandle | undefined> {
  const create = () => open(path, "wx", 0o600);
  let handle: FileHandle;
  try {
    handle = await create().catch(async (error) => {
      if (codeOf(error) !== "ENOENT") throw error;
      await mkdir(dirname(path), { recursive: true });
      return create();
    });
  } catch (error) {
    if (codeOf(error) === "EEXIST") return undefined;
    throw error;
  }
  try {
    await handle.write(text, 0);
    await handle.datasync();
    return handle;
  } catch (error) {
    // A full disk makes files and does not fill them.
    await handle.close();
    await rm(path, { force: true }).catch(() => {});
    throw error;
  }
}
