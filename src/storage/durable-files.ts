import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import * as nodeFiles from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { checksumOf } from "./checksum.ts";
import { renameOver } from "./rename.ts";

/** @internal The file operations in use, so that tests can fail each of them. */
export type Files = Pick<
  typeof nodeFiles,
  "mkdir" | "open" | "readdir" | "readFile" | "rename" | "rm" | "stat"
>;

/** Part of the names of temporary files: others were left by a process that was killed. */
const PROCESS = randomUUID();
const LONG_NAME = 100;
const TEMPORARY = /^([0-9a-f-]{36})\.[0-9a-f-]{36}\.tmp$/;

/** Distinguishes a file from its copies: its inode number, and the time it was written, in milliseconds. */
export type FileMark = { number: number; writtenAt: number };

/** The text to write into a file, given its mark. */
type TextOf = (mark: FileMark) => string;

/** Some file systems store times in steps of two seconds. */
const TIME_STEP_MS = 2_000;

/** Writes files atomically: after a crash at any moment they hold the old or the new content. */
export class DurableFiles {
  readonly #files: Files;

  constructor(files: Files = nodeFiles) {
    this.#files = files;
  }

  /** Undefined when there is no such file. */
  async read(path: string): Promise<string | undefined> {
    try {
      return await this.#files.readFile(path, "utf8");
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  /** Whether a file is the one that was written with this mark: not a copy, and not written again by others. */
  async isWithMark(path: string, { number, writtenAt }: FileMark): Promise<boolean> {
    const { ino, mtimeMs } = await this.#files.stat(path);
    return ino === number && Math.abs(mtimeMs - writtenAt) <= TIME_STEP_MS;
  }

  /** Replaces a file as a whole; creates its folder when it is missing. */
  async replace(path: string, textOf: TextOf): Promise<void> {
    const folder = dirname(path);
    const temporary = join(folder, `${prefixOf(path)}${PROCESS}.${randomUUID()}.tmp`);
    try {
      await this.#write(temporary, "wx", textOf).catch(async (error) => {
        if (codeOf(error) !== "ENOENT") throw error;
        await this.#files.mkdir(folder, { recursive: true });
        await this.#write(temporary, "wx", textOf);
      });
      await renameOver(temporary, path, { rename: (from, to) => this.#files.rename(from, to) });
    } catch (error) {
      await this.#files.rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
    await this.#syncFolder(folder);
  }

  /** Writes a file that must not exist yet. */
  create(path: string, text: string): Promise<void> {
    return this.#write(path, "wx", () => text);
  }

  /** Appends to an existing file. A crash may leave a part of the text. */
  append(path: string, text: string): Promise<void> {
    return this.#write(path, constants.O_WRONLY | constants.O_APPEND, () => text);
  }

  async remove(path: string): Promise<void> {
    await this.#files.rm(path, { force: true });
  }

  /**
   * Removes the temporary files of processes that were killed while they replaced this file. Never rejects; of each folder
   * the first failure is a warning of the process.
   */
  async removeLeftovers(path: string): Promise<void> {
    const folder = dirname(path);
    const isLeftover = (name: string) => {
      if (!name.startsWith(prefixOf(path))) return false;
      const [, process] = TEMPORARY.exec(name.slice(prefixOf(path).length)) ?? [];
      return process !== undefined && process !== PROCESS;
    };
    let failure: unknown;
    const note = (error: unknown) => {
      failure ??= error;
    };
    const names = await this.#files.readdir(folder).catch((error: unknown) => {
      if (codeOf(error) !== "ENOENT") note(error);
      return [];
    });
    // One that cannot be removed does not keep the others.
    for (const name of names.filter(isLeftover))
      await this.#files.rm(join(folder, name), { force: true }).catch(note);
    if (failure !== undefined) warnOnce(folder, failure);
  }

  async #write(path: string, flags: "wx" | number, textOf: TextOf): Promise<void> {
    const file = await this.#files.open(path, flags, 0o600);
    try {
      const [{ ino: number }, at] = [await file.stat(), new Date()];
      await file.writeFile(textOf({ number, writtenAt: at.getTime() }));
      // The clock of a file server may differ.
      if (flags === "wx") await file.utimes(at, at);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** Makes a rename survive a power cut. */
  async #syncFolder(folder: string): Promise<void> {
    // Windows cannot open a folder, and does not need to.
    if (process.platform === "win32") return;
    const handle = await this.#files.open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}

/** Folders with files that could not be removed. */
const warned = new Set<string>();

function warnOnce(folder: string, cause: unknown): void {
  if (warned.has(folder)) return;
  warned.add(folder);
  const reason = cause instanceof Error ? cause.message : String(cause);
  process.emitWarning(
    `Old temporary files cannot be removed: ${reason}. Correct the permissions of the folder ${folder}, or remove its .tmp files.`,
    "CrecWarning",
  );
}

export function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | undefined)?.code;
}

/** A long name is replaced by its checksum, since the name of the temporary file is longer. */
function prefixOf(path: string): string {
  const name = basename(path);
  return name.length > LONG_NAME ? `.${checksumOf(name).slice(0, 16)}.` : `.${name}.`;
}
