import { existsSync } from "node:fs";
import { copyFile, mkdir, open, readdir, realpath, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { NodeAPI } from "node-red";
import { codeOf, renameOver, syncFolder } from "../../../src/storage/durable-files.ts";
import { loadLibrary } from "../library.ts";
import { processWide } from "../process-wide.ts";
import { type CodedError, nodeError, toCodedError } from "../shared/errors.ts";
import { cutAtWord } from "../shared/text.ts";
import { FolderLock, type FolderState } from "./folder-lock.ts";
import { LOCK_FILE, prepareFolder } from "./shared-folder.ts";
import { NOT_PERMITTED, notPermitted, permitted } from "./state-files.ts";
import {
  folderOfKind,
  STATE_KINDS,
  type StateFolder,
  type StateKind,
  shareState,
  stateFolder,
  stateFolderFor,
} from "./state-folder.ts";

const LONGEST_NAMES = 500;
/** Folders of which the log has said why they are used. */
const said = processWide("said-folders", () => new Set<string>());

type MigrationOptions = {
  /** This process must have the new folder until it is aborted. */
  signal: AbortSignal;
  /** Called while another process uses the old folder. */
  onWait: (state: FolderState) => void;
};

/** What was moved out of one folder. Files that are in the new folder already stay in the old one. */
type Migrated = { from: string; moved: number; left: string[] };

/** What says that a consumer has run stays in each place, and survives where one of them does. */
const MOVED: readonly StateKind[] = ["cursors", "seen", "waits", "signing", "alerts"];
/** A file that is being copied to another disk. It counts again when the copy is missing. */
const TAKEN = ".taken";

type Copy = (from: string, to: string) => Promise<void>;

type Moving = Pick<MigrationOptions, "signal"> & { result: Migrated; copy: Copy };

/**
 * The folder whose lock decides which process uses the state folder. What lies in former places is moved there when
 * this process gets the lock, and the log says so.
 */
export function lockedStateFolder(RED: NodeAPI): string {
  const folder = stateFolder(RED);
  const { path, chosenBy } = folder;
  const locked = stateFolderFor(RED, "cursors");
  if (chosenBy !== "default" && !said.has(path)) {
    said.add(path);
    log(RED, "info", "common.log.state-folder", { path, why: RED._(`common.state-folder.${chosenBy}`) });
  }
  if (folder.former.length > 0) {
    prepareFolder(locked, async (signal, onWait) => {
      const taken = await permitted(path, () => migrateState(folder, { signal, onWait }));
      for (const { from, moved, left } of taken) {
        if (moved > 0) log(RED, "info", "common.log.state-moved", { count: moved, from, to: path });
        const names = cutAtWord(left.join(", "), LONGEST_NAMES);
        if (left.length > 0) log(RED, "warn", "common.warning.state-left", { count: left.length, names });
      }
    });
  }
  return locked;
}

function log(
  RED: NodeAPI,
  level: "info" | "warn",
  key: string,
  values: Record<string, string | number>,
): void {
  RED.log[level](`[crec] ${RED._(key, values)}`);
}

/**
 * Moves the state that lies in former places into the state folder, before any of it is used. A crash at any moment loses
 * nothing: the next call continues. A folder that another process uses is not touched until that process ends.
 * @throws errors of the disk
 */
export async function migrateState(folder: StateFolder, options: MigrationOptions): Promise<Migrated[]> {
  const taken: Migrated[] = [];
  for (const from of folder.former) {
    const kinds = await kindsToMove(from, folder.path);
    if (kinds.length === 0) continue;
    const onWait = (state: FolderState) =>
      options.onWait(
        state.kind === "error" ? { ...state, error: notMoved(state.error, from, folder.path) } : state,
      );
    // One that is a link to the new folder has its lock, which this process holds.
    const isOwn = await isSame(from, folder.path, "cursors");
    const lock = isOwn ? undefined : await whenFree(from, { ...options, onWait });
    try {
      const result: Migrated = { from, moved: 0, left: [] };
      for (const kind of kinds) {
        const copy = kind === "cursors" ? copyCursor : copyDurably;
        const [source, target] = [folderOfKind(from, kind), folderOfKind(folder.path, kind)];
        await moveAll(source, target, { ...options, result, copy });
      }
      // They were not shared where they were.
      shareState(folder.path);
      if (result.moved + result.left.length > 0) taken.push(result);
    } catch (cause) {
      throw options.signal.aborted
        ? cause
        : notMoved(notPermitted(from, cause) ?? toCodedError(cause), from, folder.path);
    } finally {
      await lock?.stop();
    }
    for (const kind of MOVED) {
      if (!(await isSame(from, folder.path, kind))) await removeEmpty(folderOfKind(from, kind));
    }
  }
  return taken;
}

/** The folder that somebody chose can be written: what is wrong is the former place, or how to get from there. */
function notMoved(cause: CodedError, from: string, to: string): CodedError {
  const why: Record<string, string> = {
    STATE_NOT_PERMITTED: cause.message.replace(`${NOT_PERMITTED} `, ""),
    FOLDER_NOT_LOCKED: `Make ${from} writable for this process (${codeOf(cause.cause)}), or move its folders that begin with "crec-" to ${to} yourself.`,
  };
  const message = `The previous state is in ${from} and cannot be moved to the state folder, ${to}. No event is sent until it is moved, so that none is sent twice; it is tried again. ${why[cause.code] ?? `The move failed with: ${cause.message}`}`;
  return Object.assign(nodeError(cause.code, message, cause), { retryable: true });
}

/** Whether there may be something to take over. */
export function hasFormerState({ former }: StateFolder): boolean {
  return former.some((from) => MOVED.some((kind) => existsSync(folderOfKind(from, kind))));
}

/** Those of which a folder has files, and which are not links to the new place, or the other way round. */
async function kindsToMove(from: string, to: string): Promise<StateKind[]> {
  const isMoved = async (kind: StateKind) =>
    (await namesIn(folderOfKind(from, kind))).length > 0 && !(await isSame(from, to, kind));
  const found = await Promise.all(MOVED.map(async (kind) => ((await isMoved(kind)) ? [kind] : [])));
  return found.flat();
}

async function isSame(one: string, other: string, kind: StateKind): Promise<boolean> {
  const places = [one, other].map((folder) => folderOfKind(folder, kind));
  const [real, otherReal] = await Promise.all(places.map((path) => realpath(path).catch(() => path)));
  return real === otherReal;
}

/** A process of before may still use the old folder. */
async function whenFree(folder: string, { signal, onWait }: MigrationOptions): Promise<FolderLock> {
  let lock: FolderLock | undefined;
  await new Promise<void>((resolve) => {
    lock = new FolderLock(join(folderOfKind(folder, "cursors"), LOCK_FILE), (state) => {
      if (state.kind === "held") resolve();
      else if (state.kind !== "looking") onWait(state);
    });
    signal.addEventListener("abort", () => resolve(), { once: true });
    lock.start();
  });
  if (lock !== undefined && !signal.aborted) return lock;
  await lock?.stop();
  throw signal.reason;
}

async function moveAll(from: string, to: string, moving: Moving): Promise<void> {
  const { signal, result, copy } = moving;
  const entries = await readdir(from, { withFileTypes: true }).catch((error) => {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  });
  const ours = entries.filter(({ name }) => isState(name));
  if (ours.length > 0) await mkdir(to, { recursive: true });
  for (const entry of ours) {
    signal.throwIfAborted();
    const name = entry.name.endsWith(TAKEN) ? entry.name.slice(0, -TAKEN.length) : entry.name;
    const [source, target] = [join(from, entry.name), join(to, name)];
    if (entry.isDirectory() && isClaim(target) && existsSync(target)) result.left.push(source);
    else if (entry.isDirectory()) {
      await moveAll(source, target, moving);
      await removeEmpty(source);
    } else if (name !== entry.name) {
      // A crash interrupted the copy, or came after it.
      if (existsSync(target)) await rm(source);
      else await copyAway(source, target, copy);
      result.moved += 1;
    } else if (existsSync(target)) result.left.push(source);
    else {
      await moveFile(source, target, copy);
      result.moved += 1;
    }
  }
}

/** Its file has a name that no other has, so that two of one id would be in one folder. */
function isClaim(path: string): boolean {
  return basename(dirname(path)) === "crec-signing";
}

async function moveFile(from: string, to: string, copy: Copy): Promise<void> {
  try {
    await renameOver(from, to);
  } catch (error) {
    if (codeOf(error) !== "EXDEV") throw error;
    await renameOver(from, from + TAKEN);
    await copyAway(from + TAKEN, to, copy);
  }
}

/** To another disk: complete there before it is removed here. */
async function copyAway(from: string, to: string, copy: Copy): Promise<void> {
  await copy(from, to);
  await rm(from);
}

const copyCursor: Copy = async (from, to) => (await loadLibrary()).copyCursorFile(from, to);
const copyDurably: Copy = async (from, to) => {
  const temporary = `${to}.tmp`;
  await copyFile(from, temporary);
  const file = await open(temporary, "r+");
  await file.sync().finally(() => file.close());
  await renameOver(temporary, to);
  await syncFolder(join(to, ".."));
};

async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error) => {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  });
  return names.filter(isState);
}

/** Not a lock, nor the new place, where somebody chose `crec-cursors` itself as the state folder. */
function isState(name: string): boolean {
  return !name.startsWith(LOCK_FILE) && !STATE_KINDS.some((kind) => folderOfKind("", kind) === name);
}

async function removeEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch(() => {});
}
