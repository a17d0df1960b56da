import { existsSync } from "node:fs";
import { open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { messageOf } from "../../errors.ts";
import { blockOfState, withNewestBlocks } from "./state.ts";

/** A complete state, ready for anvil to load. */
export type Loadable = { block: number; bytes: number; file: string; from: string };

/** Why a snapshot is damaged, and the file in which it is kept. */
type Damaged = { why: string; kept: string };

const inflate = promisify(gunzip);

/** The newest snapshot, and the one before it. Both are gzipped JSON from anvil. */
const NEWEST = "state.json.gz";
const FORMER = "state.former.json.gz";
/** A state that anvil wrote itself under earlier versions; removed once there is a snapshot. */
const BY_ANVIL = "state.json";
const UNFINISHED = /^state\..*\.(new|loading)$/;

/**
 * Stores a snapshot as the newest one. A complete one is there at each moment, even after a kill: the bytes are on the
 * disk before they get the name.
 *
 * @throws Error when the disk does not take it; the older ones are then still there.
 */
export async function keepSnapshot(folder: string, gzipped: Buffer): Promise<void> {
  const unfinished = join(folder, `state.${process.pid}.new`);
  try {
    const file = await open(unfinished, "w", 0o600);
    try {
      await file.writeFile(gzipped);
      await file.sync();
    } finally {
      await file.close();
    }
    const newest = join(folder, NEWEST);
    if (existsSync(newest)) await rename(newest, join(folder, FORMER));
    await rename(unfinished, newest);
    await syncFolder(folder);
    await rm(join(folder, BY_ANVIL), { force: true });
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  }
}

/**
 * The newest complete snapshot as a file for anvil, without unneeded old blocks. The caller removes the file. Damaged
 * snapshots are renamed and reported.
 *
 * @throws Error when a file cannot be read or written.
 */
export async function newestSnapshot(
  folder: string,
  onDamaged: (damaged: Damaged) => void,
  neededAfter = Number.POSITIVE_INFINITY,
): Promise<Loadable | undefined> {
  for (const name of [BY_ANVIL, NEWEST, FORMER]) {
    const from = join(folder, name);
    if (!existsSync(from)) continue;
    const stored = await readFile(from);
    let json: Buffer;
    let block: number;
    try {
      json = name === BY_ANVIL ? stored : await inflate(stored);
      block = blockOfState(json);
    } catch (error) {
      onDamaged({ why: messageOf(error), kept: await setAside(from) });
      continue;
    }
    const file = join(folder, `state.${process.pid}.loading`);
    const pieces = withNewestBlocks(json, { neededAfter });
    try {
      await writeFile(file, pieces, { mode: 0o600 });
    } catch (error) {
      await rm(file, { force: true });
      throw error;
    }
    return { block, bytes: pieces.reduce((sum, { length }) => sum + length, 0), file, from };
  }
  return undefined;
}

/** Renames a file that cannot be loaded, and returns its new name. */
export async function setAside(file: string): Promise<string> {
  const kept = `${file}.damaged`;
  await rename(file, kept);
  return kept;
}

/** Removes files that a killed process left unfinished. */
export async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (UNFINISHED.test(name)) await rm(join(folder, name), { force: true });
  }
}

/** Makes renames survive a power failure. Windows cannot sync folders. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
