import { execFile } from "node:child_process";
import { lstat, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

// What a process uses, as seen from outside: one that is in an endless loop cannot say it.

/** The folder's files, and those that are open and have no name any more. */
export type DiskUse = { bytes: number; files: number };

/**
 * The memory of a process that is in RAM, in MB. 0 where the system does not say it: Windows has no way without a
 * program that takes longer than this may.
 */
export async function memoryOf(pid: number, platform: NodeJS.Platform = process.platform): Promise<number> {
  if (platform === "linux") {
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
  }
  if (platform !== "darwin") return 0;
  const { stdout } = await promisify(execFile)("/bin/ps", ["-o", "rss=", "-p", String(pid)]).catch(() => ({
    stdout: "",
  }));
  return Number(stdout.trim()) / 1024 || 0;
}

/**
 * What a process has written into a folder. Stops counting above `most` files.
 *
 * @param pid files that it has open and has deleted count too, which only Linux shows
 */
export async function diskUseOf(folder: string, pid: number, most: number): Promise<DiskUse> {
  const use: DiskUse = { bytes: 0, files: 0 };
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined && use.files <= most; next = folders.pop()) {
    for (const entry of await readdir(next, { withFileTypes: true }).catch(() => [])) {
      const path = join(next, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else use.bytes += await sizeOf(lstat(path));
      use.files += 1;
      if (use.files > most) break;
    }
  }
  use.bytes += await deletedBytes(pid);
  return use;
}

async function deletedBytes(pid: number): Promise<number> {
  const open = `/proc/${pid}/fd`;
  let bytes = 0;
  for (const name of await readdir(open).catch(() => [])) {
    const deleted = stat(join(open, name)).then((found) => {
      if (found.isFile() && found.nlink === 0) return found;
      throw new Error("It has a name.");
    });
    bytes += await sizeOf(deleted);
  }
  return bytes;
}

/** On the disk: a file with holes is smaller than it says. 0 where it is gone. */
async function sizeOf(looked: Promise<{ blocks: number }>): Promise<number> {
  const { blocks } = await looked.catch(() => ({ blocks: 0 }));
  return blocks * 512;
}
