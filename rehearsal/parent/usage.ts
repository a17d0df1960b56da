import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

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
