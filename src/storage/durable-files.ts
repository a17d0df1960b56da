import { randomUUID } from "node:crypto";
import { constants, mkdirSync, renameSync, writeFileSync } from "node:fs";
import * as nodeFiles from "node:fs/promises";
import { rename as nodeRename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { checksumOf } from "./checksum.ts";

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

/** The text to write into a file that says itself by which mark it is known. */
type TextOf = (mark: FileMark) => string;

/** Some file systems store times in steps of two seconds. */
const TIME_STEP_MS = 2_000;

/** What Windows answers while a virus scanner, a backup or an indexer has one of the two files open. */
const IN_USE = new Set(["EPERM", "EACCES", "EBUSY"]);
/** Such programs close a file soon. In all less than two seconds. */
const PAUSES_MS = [10, 20, 40, 80, 160, 320, 640, 640];

type WriteOptions = {
  files?: Files | undefined;
  /** The name that it has until it is complete. @default one that `removeLeftovers` knows */
  temporary?: string;
  /** What survives a power cut: the file by its name, its content, or neither for certain. @default "name" */
  sync?: "name" | "content" | "none";
};

/** Undefined when there is no such file. */
export async function readIfThere(path: string, files: Files = nodeFiles): Promise<string | undefined> {
  try {
    return await files.readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Whether a file is the one that was written with this mark: not a copy, and not written again by others. */
export async function isWithMark(
  path: string,
  { number, writtenAt }: FileMark,
  files: Files = nodeFiles,
): Promise<boolean> {
  const { ino, mtimeMs } = await files.stat(path);
  return ino === number && Math.abs(mtimeMs - writtenAt) <= TIME_STEP_MS;
}

/**
 * Replaces a file as a whole: after a crash at any moment it holds the old or the new content. Creates its folder when it
 * is missing.
 */
export async function writeDurably(
  path: string,
  text: string | TextOf,
  { files = nodeFiles, temporary = temporaryOf(path), sync = "name" }: WriteOptions = {},
): Promise<void> {
  const folder = dirname(path);
  const isSynced = sync !== "none";
  try {
    await write(temporary, "wx", text, { files, isSynced }).catch(async (error) => {
      if (codeOf(error) !== "ENOENT") throw error;
      await files.mkdir(folder, { recursive: true });
      await write(temporary, "wx", text, { files, isSynced });
    });
    await renameOver(temporary, path, { rename: (from, to) => files.rename(from, to) });
  } catch (error) {
    await files.rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
  if (sync === "name") await syncFolder(folder, files);
}

/** The same where the caller cannot wait. */
export function writeDurablySync(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(temporary, text, { mode: 0o600, flush: true });
  renameOverSync(temporary, path);
}

/** Writes a file that must not exist yet. */
export function createOnce(path: string, text: string, files: Files = nodeFiles): Promise<void> {
  return write(path, "wx", text, { files, isSynced: true });
}

/** Appends to an existing file. A crash may leave a part of the text. */
export function appendDurably(path: string, text: string, files: Files = nodeFiles): Promise<void> {
  return write(path, constants.O_WRONLY | constants.O_APPEND, text, { files, isSynced: true });
}

/**
 * Removes the temporary files of processes that were killed while they replaced this file. Never rejects; of each folder
 * the first failure is a warning of the process.
 */
export async function removeLeftovers(path: string, files: Files = nodeFiles): Promise<void> {
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
  const names = await files.readdir(folder).catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT") note(error);
    return [];
  });
  // One that cannot be removed does not keep the others.
  for (const name of names.filter(isLeftover))
    await files.rm(join(folder, name), { force: true }).catch(note);
  if (failure !== undefined) warnOnce(folder, failure);
}

/** Makes a rename survive a power cut. */
export async function syncFolder(folder: string, files: Pick<Files, "open"> = nodeFiles): Promise<void> {
  // Windows cannot open a folder, and does not need to.
  if (process.platform === "win32") return;
  const handle = await files.open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function write(
  path: string,
  flags: "wx" | number,
  text: string | TextOf,
  { files, isSynced }: { files: Files; isSynced: boolean },
): Promise<void> {
  const file = await files.open(path, flags, 0o600);
  try {
    if (typeof text === "string") await file.writeFile(text);
    else await writeMarked(file, text);
    if (isSynced) await file.sync();
  } finally {
    await file.close();
  }
}

async function writeMarked(file: nodeFiles.FileHandle, textOf: TextOf): Promise<void> {
  const [{ ino: number }, at] = [await file.stat(), new Date()];
  await file.writeFile(textOf({ number, writtenAt: at.getTime() }));
  // The clock of a file server may differ.
  await file.utimes(at, at);
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

function temporaryOf(path: string): string {
  return join(dirname(path), `${prefixOf(path)}${PROCESS}.${randomUUID()}.tmp`);
}

/** A long name is replaced by its checksum, since the name of the temporary file is longer. */
function prefixOf(path: string): string {
  const name = basename(path);
  return name.length > LONG_NAME ? `.${checksumOf(name).slice(0, 16)}.` : `.${name}.`;
}

type RenameOptions = {
  platform?: NodeJS.Platform;
  /** Between two attempts, in milliseconds. */
  pauses?: readonly number[];
};

/**
 * Renames a file over another one. Windows refuses that while another program has one of them open: it is tried again
 * for two seconds. Other systems allow it, so an error is thrown at once.
 */
export async function renameOver(
  from: string,
  to: string,
  {
    rename = nodeRename,
    platform = process.platform,
    pauses = PAUSES_MS,
  }: RenameOptions & { rename?: typeof nodeRename } = {},
): Promise<void> {
  for (const pause of waits(platform, pauses)) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      if (!isInUse(error)) throw error;
      await sleep(pause);
    }
  }
  await rename(from, to);
}

/** The same where the caller cannot wait. It blocks the process between two attempts, and so makes fewer. */
export function renameOverSync(
  from: string,
  to: string,
  {
    rename = renameSync,
    platform = process.platform,
    pauses = PAUSES_MS.slice(0, 4),
  }: RenameOptions & { rename?: typeof renameSync } = {},
): void {
  for (const pause of waits(platform, pauses)) {
    try {
      rename(from, to);
      return;
    } catch (error) {
      if (!isInUse(error)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
    }
  }
  rename(from, to);
}

const waits = (platform: NodeJS.Platform, pauses: readonly number[]) => (platform === "win32" ? pauses : []);

function isInUse(error: unknown): boolean {
  return IN_USE.has(String((error as { code?: unknown } | undefined)?.code));
}
