import { existsSync } from "node:fs";
import { open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { messageOf } from "../../errors.ts";

/** A complete state, ready for anvil to load. */
export type Loadable = { block: number; bytes: number; file: string; from: string };

/** Why a snapshot is damaged, and the file in which it is kept. */
type Damaged = { why: string; kept: string };

export const inflate = promisify(gunzip);

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

// Reads the answer of `anvil_dumpState` as bytes: hundreds of megabytes do not fit one string, and parsing would round its
// large integers.

/** Newest blocks that are kept with their transactions; older ones are dropped when anvil starts. */
export const KEPT_BLOCKS = 2000;

const BLOCKS = '"blocks":[';
const TRANSACTIONS = '],"transactions":[';
const AFTER_TRANSACTIONS = '],"historical_states"';

/**
 * The newest block of a complete state.
 *
 * @throws Error when the text is something else.
 */
export function blockOfState(json: Buffer): number {
  const isWhole =
    json.indexOf('{"block":{') === 0 && /\}\s*$/.test(json.toString("latin1", json.length - 16));
  const block = isWhole && json.includes(BLOCKS) ? numberAfter(json, '"best_block_number":') : undefined;
  if (block === undefined) throw new Error("it is not the complete state of a chain");
  return block;
}

/**
 * Whether blocks were made while anvil collected the state, so that accounts are ahead of the blocks: each block stores
 * the hash of its parent in a contract (EIP-2935). `hash` is that of the state's newest block.
 */
export function isTorn(json: Buffer, hash: string): boolean {
  if (numberAfter(json, '"number":') !== blockOfState(json)) return true;
  return json.subarray(0, json.indexOf(BLOCKS)).includes(hash.replace(/^0x0*/, ""));
}

/**
 * The same state without old blocks, in pieces to write one after the other: it keeps the newest `kept` blocks, and all
 * after `neededAfter`.
 */
export function withNewestBlocks(
  json: Buffer,
  { kept = KEPT_BLOCKS, neededAfter = Number.POSITIVE_INFINITY } = {},
): Buffer[] {
  const blocks = json.indexOf(BLOCKS) + BLOCKS.length;
  const blocksEnd = json.indexOf(TRANSACTIONS, blocks);
  const transactions = blocksEnd + TRANSACTIONS.length;
  const end = json.indexOf(AFTER_TRANSACTIONS, transactions);
  const newest = blockOfState(json);
  // Another version of anvil may have another format: it is loaded unchanged.
  if (blocksEnd < 0 || end < 0) return [json];
  const isKept = (number: number) => number > Math.min(newest - kept, neededAfter);
  return [
    json.subarray(0, blocks),
    ...picked(json.subarray(blocks, blocksEnd), '{"header":{', '"number":', isKept),
    json.subarray(blocksEnd, transactions),
    ...picked(json.subarray(transactions, end), '{"info":{"transaction_hash"', '"block_number":', isKept),
    json.subarray(end),
  ];
}

/** The elements of a list whose number is kept, with commas between. */
function picked(
  list: Buffer,
  start: string,
  numberName: string,
  isKept: (number: number) => boolean,
): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = list.indexOf(start); at >= 0; ) {
    const next = list.indexOf(start, at + start.length);
    // The comma between two elements belongs to neither.
    const element = list.subarray(at, next < 0 ? list.length : next - 1);
    const number = numberAfter(element, numberName);
    if (number === undefined || isKept(number)) {
      if (pieces.length > 0) pieces.push(Buffer.from(","));
      pieces.push(element);
    }
    at = next;
  }
  return pieces;
}

/** The number after a name. Anvil writes some as quoted hex. */
function numberAfter(json: Buffer, name: string): number | undefined {
  const at = json.indexOf(name);
  if (at < 0) return undefined;
  const text = json.toString("latin1", at + name.length, at + name.length + 24);
  const found = /^"?(0x[0-9a-f]+|\d+)/i.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}
