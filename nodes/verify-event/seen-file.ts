import { appendFile, mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { nodeError } from "../lib/shared/errors.ts";
import { crc32 } from "./crc32.ts";

/** A key, and the delivery it first came with where that may come again. */
export type Entry = readonly [key: string, delivery: string];

/** What was found: the whole lines, and where a copy of a damaged file was put. `none`: there is no file. */
export type Found = { entries: Entry[]; state: "none" | "whole" | "damaged"; copy?: string };

const OPTIONS = { mode: 0o600, flush: true } as const;

/**
 * Reads one entry a line, oldest first. Each line carries a checksum: a file that was torn or changed is told from
 * a whole one, a copy of it is kept, and what is whole in it still counts.
 * @throws SEEN_NOT_READ
 */
export async function readEntries(path: string): Promise<Found> {
  try {
    const text = await readFile(path, "utf8");
    const lines = text.split("\n");
    const entries = lines.flatMap(parse);
    // A whole file ends with a line break, and is never empty.
    if (text !== "" && lines.at(-1) === "" && entries.length === lines.length - 1) {
      return { entries, state: "whole" };
    }
    // Named after its content, so that ten restarts make one copy.
    const copy = `${path}.damaged-${checksum(text)}`;
    await writeFile(copy, text, OPTIONS);
    return { entries, state: "damaged", copy };
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return { entries: [], state: "none" };
    throw nodeError(
      "SEEN_NOT_READ",
      `What this node has seen before cannot be read from ${path} (${codeOf(cause)}), so it cannot tell what is new. Check permissions and free space; it is tried again with the next message.`,
      cause,
    );
  }
}

export async function appendEntries(path: string, entries: readonly Entry[]): Promise<void> {
  await appendFile(path, textOf(entries), OPTIONS);
}

/** After a crash at any moment the file holds what was there before, or what is there now. */
export async function replaceEntries(path: string, entries: readonly Entry[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.tmp`;
  await writeFile(temporary, textOf(entries), OPTIONS);
  await rename(temporary, path);
  await syncFolder(dirname(path));
}

/** Whether it was there or not. */
export async function removeEntries(path: string): Promise<void> {
  await Promise.all([path, `${path}.tmp`].map((file) => rm(file, { force: true })));
}

/** Makes the rename itself survive a power cut. */
async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder, and does not need to.
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function textOf(entries: readonly Entry[]): string {
  return entries
    .map((entry) => {
      const text = JSON.stringify(entry);
      return `${checksum(text)} ${text}\n`;
    })
    .join("");
}

function parse(line: string): Entry[] {
  const text = line.slice(9);
  if (line.slice(0, 9) !== `${checksum(text)} `) return [];
  const [key, delivery, ...more] = listIn(text);
  return typeof key === "string" && typeof delivery === "string" && more.length === 0
    ? [[key, delivery]]
    : [];
}

/** A right checksum says that the text is as it was written, not that it was written here. */
function listIn(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}

export function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | undefined)?.code;
}
