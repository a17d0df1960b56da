/**
 * Records what this code stores, or what commit 796e9e4c did: each kind once, with the same contents.
 *
 *   node test/stored/record.ts <name of the commit> [<checkout of 796e9e4c>]
 *
 * Writes `test/stored/<name>/`. A record is made once and not changed afterwards: it stands for what users have on disk. In
 * a checkout of 796e9e4c, `node_modules` may be a link to those of this one.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NodeAPI } from "node-red";
import { eventually } from "../support/eventually.ts";
import { PostgresServer } from "../support/postgres.ts";
import { RedisServer } from "../support/redis.ts";
import { type Code, codeOf796e9e4c, PRESENT } from "./code.ts";
import { type Files, filesOf, keysAt, rowsAt, tablesAt } from "./dump.ts";
import { nodeRedIn } from "./things.ts";
import { writeFolder, writeShared } from "./write.ts";

const [name = "", checkout] = process.argv.slice(2);
const code = checkout === undefined ? PRESENT : await codeOf796e9e4c(checkout);
const target = join(import.meta.dirname, name);
await mkdir(target, { recursive: true });
const write = (file: string, value: unknown) =>
  writeFile(join(target, file), `${JSON.stringify(value, null, 1)}\n`);

const userDir = await mkdtemp(join(tmpdir(), "crec-record-"));
const context = await writeFolder(code, userDir);
await write("state-folder.json", without(await filesOf(userDir), ".in-use"));
await write("context.json", context);
await write("locks.json", await locks(code, userDir));

const [postgres, redis] = await Promise.all([PostgresServer.start(), RedisServer.start()]);
for (const { url } of [postgres, redis]) {
  const shared = await code.library.openSharedState(url);
  await writeShared(code, shared);
  await shared.close();
}
await write("postgres.json", { tables: await tablesAt(postgres.url), rows: await rowsAt(postgres.url) });
await write("redis.json", await keysAt(redis.url));
await Promise.all([postgres.remove(), redis.remove()]);
await rm(userDir, { recursive: true });
process.exit(0);

/** The lock files of a process that uses the state folder, and has messages that wait. */
async function locks(
  { takeFolder, waitOwners, owner }: Code,
  folder: string,
): Promise<Files & { owner: string }> {
  const RED: NodeAPI = nodeRedIn(folder);
  let state = "";
  takeFolder(RED, ({ kind }) => {
    state = kind;
  });
  await eventually("the folder", () => state === "held");
  await waitOwners(RED).beAlive(() => {});
  const all = Object.entries(await filesOf(folder));
  const found = all.filter(([path]) => path.includes(".in-use"));
  return { ...Object.fromEntries(found.map(([path, text]) => [path, ofAnotherMachine(text)])), owner };
}

/** A process that has waits says so for some seconds after they are over. */
function without(files: Files, part: string): Files {
  return Object.fromEntries(Object.entries(files).filter(([path]) => !path.includes(part)));
}

/** Else the process that was recorded is known to be gone on the machine that recorded it. */
function ofAnotherMachine(text: string): string {
  const { host, process: identity } = JSON.parse(text);
  return text.replaceAll(identity.space, "another boot").replaceAll(`"${host}"`, '"pod-a"');
}
