import { readFileSync } from "node:fs";

/** Whether a process of this id runs. One that has ended counts as gone, also where nobody has asked how it ended. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    // `pid (name) state …`, and the name may hold anything.
    return !/^.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    // Only Linux shows it.
    return true;
  }
}
