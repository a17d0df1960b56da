import * as files from "node:fs/promises";
import type { FileCursorStoreOptions } from "../../../src/index.ts";
import { placeOf, shareFolders, shareOpen } from "./group.ts";
import { notPermitted } from "./not-permitted.ts";

type Files = NonNullable<FileCursorStoreOptions["files"]>;

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
