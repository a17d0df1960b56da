import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FlowNode } from "../support/node-red.ts";
import { type Files, type Keys, putFiles, type Rows } from "./dump.ts";
import type { Context } from "./things.ts";

/** What `record.ts` and `record-waits.ts` have written for a commit. */
export type Stored = {
  commit: string;
  folder: Files;
  context: Context;
  locks: Files & { owner: string };
  /** Of each node that waits, by `<id of the node>/<file>`. */
  waits: Files;
  /** The service of these waits: what it says later, how its proofs are checked, and its contracts. */
  service: { answers: Record<string, unknown>; connection: FlowNode; contracts: Record<string, string> };
  postgres: { tables: string[]; rows: Rows };
  redis: Keys;
};

const read = (commit: string, file: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, commit, file), "utf8"));

function storedBy(commit: string): Stored {
  return {
    commit,
    folder: read(commit, "state-folder.json"),
    context: read(commit, "context.json"),
    locks: read(commit, "locks.json"),
    waits: read(commit, "waits.json"),
    service: read(commit, "answers.json"),
    postgres: read(commit, "postgres.json"),
    redis: read(commit, "redis.json"),
  };
}

/** The oldest first. The last one has the formats of today. */
export const OLDER: Stored = storedBy("796e9e4c");
export const LATEST: Stored = storedBy("b847e36f");
export const RECORDS: readonly Stored[] = [OLDER, LATEST];

/** A state folder for a test, with these files. */
export async function folderWith(files: Files): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "crec-stored-"));
  await putFiles(files, path);
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

const VARIES: ReadonlyArray<[RegExp, string]> = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, "<uuid>"],
  [/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)/g, "<time>"],
  // The times of the blocks are always the same.
  [/(?<![\w.])(?!178000)[1-4]\d{9}(?:\d{3}){0,2}(?!\d)/g, "<time>"],
  [/^[0-9a-f]{64}(?= )/gm, "<checksum>"],
  [/(?<="checksum":")[0-9a-f]{64}/g, "<checksum>"],
  [/(?<="number":)\d+/g, "<inode>"],
  [/(?<=<time>-)[0-9a-f]{8}(?=\.)/g, "<random>"],
  [/(?<="(?:salt|fingerprint)": ")[0-9a-f]+/g, "<random>"],
];

/** Of what was stored at another time, by another process, the same. */
export function withoutChance(value: unknown, name = ""): unknown {
  // How often this process has saved before, and for how long a key still lives.
  if (name === "revision" || (name === "ttlMs" && value !== -1)) return "<number>";
  if (typeof value === "string")
    return VARIES.reduce((text, [varies, by]) => text.replace(varies, by), value);
  if (typeof value === "number") {
    const text = withoutChance(String(value));
    return text === String(value) ? value : text;
  }
  if (Array.isArray(value)) return value.map((one) => withoutChance(one));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [withoutChance(key), withoutChance(one, key)]),
  );
}
