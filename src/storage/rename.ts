import { renameSync } from "node:fs";
import { rename as nodeRename } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** What Windows answers while a virus scanner, a backup or an indexer has one of the two files open. */
const IN_USE = new Set(["EPERM", "EACCES", "EBUSY"]);
/** Such programs close a file soon. In all less than two seconds. */
const PAUSES_MS = [10, 20, 40, 80, 160, 320, 640, 640];

type RenameOptions = {
  platform?: NodeJS.Platform;
  /** Between two attempts, in milliseconds. */
  pauses?: readonly number[];
};

/**
 * Renames a file over another one. Windows refuses that while another program has one of them open: it is tried again
 * for two seconds. Other systems allow it, so an error is thrown at once.
 */
export async function renameOver(
  from: string,
  to: string,
  {
    rename = nodeRename,
    platform = process.platform,
    pauses = PAUSES_MS,
  }: RenameOptions & { rename?: typeof nodeRename } = {},
): Promise<void> {
  for (const pause of waits(platform, pauses)) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      if (!isInUse(error)) throw error;
      await sleep(pause);
    }
  }
  await rename(from, to);
}

/** The same where the caller cannot wait. It blocks the process between two attempts, and so makes fewer. */
export function renameOverSync(
  from: string,
  to: string,
  {
    rename = renameSync,
    platform = process.platform,
    pauses = PAUSES_MS.slice(0, 4),
  }: RenameOptions & { rename?: typeof renameSync } = {},
): void {
  for (const pause of waits(platform, pauses)) {
    try {
      rename(from, to);
      return;
    } catch (error) {
      if (!isInUse(error)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
    }
  }
  rename(from, to);
}

const waits = (platform: NodeJS.Platform, pauses: readonly number[]) => (platform === "win32" ? pauses : []);

function isInUse(error: unknown): boolean {
  return IN_USE.has(String((error as { code?: unknown } | undefined)?.code));
}
