import { randomUUID } from "node:crypto";
import { existsSync, linkSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { NodeAPI } from "node-red";
import { codeOf } from "../../../src/storage/durable-files.ts";
import { processWide } from "../process-wide.ts";
import { permitted } from "./state-files.ts";

/** What a file is judged by. `writtenAt` in Unix milliseconds. */
export type FoundFile = { text: string; writtenAt: number };

type CleanUpOptions = {
  /** Younger files are not even read: in most clean-ups that is all of them. */
  leastAgeMs: number;
  isOld: (file: FoundFile) => boolean;
  /** By its name. Default: all. */
  isCandidate?: (name: string) => boolean;
  /** Whose failure is reported, once. Default: the folder itself. */
  reportedAs?: string;
};

/** Folders whose failed clean-up was reported. */
const reported = processWide("clean-up-reported", () => new Set<string>());

/**
 * Removes the old files of a folder. A file that is gone meanwhile is as good as removed; one that cannot be removed does
 * not keep the others. Of each folder the first failure is logged as a warning. Never rejects.
 */
export async function cleanUp(RED: NodeAPI, folder: string, options: CleanUpOptions): Promise<void> {
  const { leastAgeMs, isOld, isCandidate = () => true, reportedAs = folder } = options;
  let failure: unknown;
  const names = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT") failure = error;
    return [];
  });
  for (const name of names.filter(isCandidate)) {
    const path = join(folder, name);
    try {
      const { mtimeMs } = await stat(path);
      if (Date.now() - mtimeMs >= leastAgeMs) await permitted(path, () => removeIf(path, isOld));
    } catch (error) {
      if (codeOf(error) !== "ENOENT") failure ??= error;
    }
  }
  if (failure === undefined || reported.has(reportedAs)) return;
  reported.add(reportedAs);
  const reason = failure instanceof Error ? failure.message : String(failure);
  RED.log.warn(`[crec] ${RED._("common.warning.clean-up-failed", { folder: reportedAs, reason })}`);
}

/**
 * Removes a file if it is old, and returns what was there before. Another process may replace the file after it was
 * judged: so it is moved away first and judged again there. One that is not old is put back.
 *
 * @returns undefined where there was no file
 * @throws what the file system throws, except that the file is gone
 */
export function removeIf(path: string, isOld: (file: FoundFile) => boolean): FoundFile | undefined {
  const found = judged(path, isOld);
  if (!found?.isOld) return found?.file;
  const aside = `${path}.${randomUUID()}.tmp`;
  if (unlessGone(() => renameSync(path, aside) ?? true) === undefined) return found.file;
  let isMeant = false;
  try {
    isMeant = judged(aside, isOld)?.isOld !== false;
  } finally {
    // Also where it cannot be judged.
    if (!isMeant) putBack(aside, path);
    rmSync(aside, { force: true });
  }
  return found.file;
}

function judged(path: string, isOld: (file: FoundFile) => boolean) {
  return unlessGone(() => {
    const file = fileAt(path);
    return { file, isOld: isOld(file) };
  });
}

/** A newer file that took its place meanwhile stays. */
function putBack(aside: string, path: string): void {
  try {
    linkSync(aside, path);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return;
    // A file system without links.
    if (!existsSync(path)) renameSync(aside, path);
  }
}

function fileAt(path: string): FoundFile {
  return { text: readFileSync(path, "utf8"), writtenAt: statSync(path).mtimeMs };
}

function unlessGone<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
