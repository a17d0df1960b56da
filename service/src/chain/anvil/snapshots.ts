import { existsSync } from "node:fs";
import { open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { messageOf } from "../../problem.ts";
import { blockOfState, withNewestBlocks } from "./state.ts";

/** A whole state, ready for anvil to load. */
export type Loadable = { block: number; bytes: number; file: string; from: string };

/** What was found damaged, and how it is kept. */
type Damaged = { why: string; kept: string };

const inflate = promisify(gunzip);

/** The newest snapshot, and the one before it. Both are the gzipped JSON that anvil gave. */
const NEWEST = "state.json.gz";
const FORMER = "state.former.json.gz";
/** What anvil wrote by itself under earlier versions; it goes once there is a snapshot. */
const BY_ANVIL = "state.json";
const UNFINISHED = /^state\..*\.(new|loading)$/;

/**
 * Makes a snapshot the newest one. At each moment a whole one is there, whatever ends us: the bytes are on the disk
 * before they get the name.
 *
 * @throws Error when the disk does not take it; the former ones are still there then.
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
 * The newest whole snapshot as a file that anvil loads, which the caller removes, without old blocks that nobody needs.
 * Damaged ones are renamed, and told.
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

/** Renames what cannot be loaded, for people to look at; its new name. */
export async function setAside(file: string): Promise<string> {
  const kept = `${file}.damaged`;
  await rename(file, kept);
  return kept;
}

/** Removes what a killed process left half written. */
export async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (UNFINISHED.test(name)) await rm(join(folder, name), { force: true });
  }
}

/** Makes renamed files last through a power cut, where folders can be synced: not on Windows. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
