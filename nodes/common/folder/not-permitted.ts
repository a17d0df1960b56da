import { accessSync, constants, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { processWide } from "../process-wide.ts";
import { type CodedError, nodeError } from "../shared/errors.ts";
import { placeOf } from "./group.ts";

type Found = { path: string; stat: Stats };

/** For how long a sentence is true. */
type Refusal = { sentence: string; holds: () => boolean };

/** How the sentences begin. */
export const NOT_PERMITTED = "This process may not use the state folder.";

/** Why this process may not use a path of its state folder, for the health. By path. */
const refusals = processWide("state-refusals", () => new Map<string, Refusal>());
/** A whole folder of another user is one; more of them say nothing new. */
const MOST = 100;

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
