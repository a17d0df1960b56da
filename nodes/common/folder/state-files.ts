import { accessSync, constants, type Stats, statSync } from "node:fs";
import * as files from "node:fs/promises";
import { dirname } from "node:path";
import type { FileCursorStoreOptions } from "../../../src/index.ts";
import { processWide } from "../process-wide.ts";
import { type CodedError, nodeError } from "../shared/errors.ts";
import { placeOf, shareFolders, shareOpen } from "./group.ts";

type Files = NonNullable<FileCursorStoreOptions["files"]>;

/**
 * The file operations for a state folder. New files and folders in one that a group shares are given to that group, before
 * they get their names, whatever the umask is. They throw STATE_NOT_PERMITTED.
 */
export const stateFiles: Files = {
  open: named(async (path: string, flags?: string | number, mode?: number) => {
    const file = await files.open(path, flags, mode);
    const group = flags === "wx" ? placeOf(path)?.group : undefined;
    if (group) shareOpen(file.fd, group);
    return file;
  }) as Files["open"],
  mkdir: named(async (path: string, options: { recursive: true }) => {
    const first = await files.mkdir(path, options);
    const group = placeOf(path)?.group;
    if (first !== undefined && group) shareFolders(first, path, group);
    return first;
  }) as Files["mkdir"],
  readdir: named(files.readdir),
  readFile: named(files.readFile),
  rename: named(files.rename),
  rm: named(files.rm),
  stat: named(files.stat),
};

type Found = { path: string; stat: Stats };

/** For how long a sentence is true. */
type Refusal = { sentence: string; holds: () => boolean };

/** How the sentences begin. */
export const NOT_PERMITTED = "This process may not use the state folder.";
/** A whole folder of another user is one; more of them say nothing new. */
const MOST = 100;

/** @throws STATE_NOT_PERMITTED where this process may not use the path; otherwise what `work` throws */
export async function permitted<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw notPermitted(path, cause) ?? cause;
  }
}

/** A call with a path first. */
function named<Call extends (path: never, ...rest: never[]) => Promise<unknown>>(call: Call): Call {
  const run = call as unknown as (...input: unknown[]) => Promise<unknown>;
  return ((path: string, ...rest: unknown[]) => permitted(path, () => run(path, ...rest))) as unknown as Call;
}

/** Why this process may not use a path of its state folder, for the health. By path. */
const refusals = processWide("state-refusals", () => new Map<string, Refusal>());

/** Why this process may not use its state folder now, a sentence for each path. */
export function stateRefusals(): string[] {
  for (const [path, { holds }] of refusals) if (!holds()) refusals.delete(path);
  return [...refusals.values()].map(({ sentence }) => sentence);
}

/**
 * The error for a failure of the disk at a path that belongs to another user, with the command that corrects it.
 * Undefined for any other failure, and on Windows.
 */
export function notPermitted(path: string, cause: unknown): CodedError | undefined {
  const { code, path: of, dest } = (cause ?? {}) as { code?: unknown; path?: unknown; dest?: unknown };
  const [user, group] = [process.geteuid?.(), process.getegid?.()];
  if (user === undefined || group === undefined || (code !== "EACCES" && code !== "EPERM")) return undefined;
  const paths = [of, dest, path].filter((one) => typeof one === "string");
  const found = paths.map(refusedAt).find((one) => one !== undefined);
  if (found === undefined) return undefined;
  const { uid, gid } = found.stat;
  const place = placeOf(path);
  const missing = place && !statOf(place.path) ? place.path : undefined;
  const command =
    missing === undefined ? commandFor(found, user, group) : commandToMake(missing, user, group);
  const error = nodeError(
    "STATE_NOT_PERMITTED",
    `${NOT_PERMITTED} ${found.path} belongs to user id ${uid}, group id ${gid}; this process runs as user id ${user}, group id ${group} (${code}). Correct it with: ${command}`,
    cause,
  );
  const holds = () => (missing === undefined ? isRefused(found.path) : !statOf(missing));
  if (place && refusals.size < MOST) refusals.set(found.path, { sentence: error.message, holds });
  return Object.assign(error, { retryable: true });
}

export function isNotPermitted(error: unknown): error is CodedError {
  return (error as { code?: unknown } | undefined)?.code === "STATE_NOT_PERMITTED";
}

function commandFor({ path, stat }: Found, user: number, group: number): string {
  const place = placeOf(path);
  // One command for all of a kind, where the path is in a place that is no longer used.
  const folder = quoted(place?.path ?? path.replace(/([/\\]crec-[a-z]+)[/\\].*$/, "$1"));
  if (stat.uid === user) return `chmod -R u+rwX ${folder}`;
  // An arbitrary user id, as on OpenShift, is always in group 0, and another one the next time.
  const shared = place?.group?.id ?? (group === 0 && user !== 0 ? group : undefined);
  return shared === undefined
    ? `sudo chown -R ${user}:${group} ${folder}`
    : `sudo chgrp -R ${shared} ${folder} && sudo chmod -R g+rwX ${folder}`;
}

function commandToMake(path: string, user: number, group: number): string {
  return `sudo mkdir -p ${quoted(path)} && sudo chown ${user}:${group} ${quoted(path)}`;
}

/** The path, or the nearest folder above it, that this process may not use. */
function refusedAt(path: string): Found | undefined {
  const top = placeOf(path)?.path;
  let isThere = false;
  for (let at = path; ; at = dirname(at)) {
    const stat = statOf(at);
    if (stat && isRefused(at)) return { path: at, stat };
    isThere ||= stat !== undefined;
    if (at === dirname(at) || (isThere && at === top)) return undefined;
  }
}

function isRefused(path: string): boolean {
  const { R_OK, W_OK, X_OK } = constants;
  try {
    accessSync(path, statSync(path).isDirectory() ? R_OK | W_OK | X_OK : R_OK | W_OK);
    return false;
  } catch {
    return statOf(path) !== undefined;
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}
