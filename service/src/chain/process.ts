import { readFileSync } from "node:fs";

/** Whether a process of this id runs. A zombie counts as gone. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    // `pid (name) state …`; the name may contain anything.
    return !/^.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    // Only Linux shows it.
    return true;
  }
}
