import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** How much is kept of all channels together. */
const MAX_BYTES = 256 * 1024 * 1024;
/** A temporary file of this age was left by a process that was killed. */
const LEFTOVER_MS = 3_600_000;

/** Removes the oldest files of the cache until it is within its bound. Never rejects. */
export async function pruneCache(cacheFolder: string, maxBytes = MAX_BYTES): Promise<void> {
  const entries = await readdir(cacheFolder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const found = await Promise.all(paths.map(fileAt));
  const files = found.filter((file) => file !== undefined).sort((a, b) => a.writtenAt - b.writtenAt);
  let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  for (const file of files) {
    const isLeftover = file.path.endsWith(".tmp") && file.writtenAt < Date.now() - LEFTOVER_MS;
    if (bytes <= maxBytes && !isLeftover) continue;
    await rm(file.path, { force: true }).catch(() => {});
    bytes -= file.bytes;
  }
}

async function fileAt(path: string) {
  // Another process may have removed it.
  const stats = await stat(path).catch(() => undefined);
  return stats && { path, bytes: stats.size, writtenAt: stats.mtimeMs };
}
