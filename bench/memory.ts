import { existsSync, readFileSync } from "node:fs";

/** What stands for the memory of another process where the system does not tell it; undefined where it does. */
export const skippedOffLinux: string | undefined = existsSync("/proc/self/status")
  ? undefined
  : "skipped: needs Linux, which tells the memory of another process";

/** Resident memory of a process in MiB: now, or the most so far. NaN where nobody tells. */
export function memoryOf(pid: number, name: "VmRSS" | "VmHWM"): number {
  if (skippedOffLinux !== undefined) return Number.NaN;
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
}
