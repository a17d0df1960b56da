import { readFileSync } from "node:fs";

/** Where a process's state and start are in its `stat` file, after its name. */
const STATE = 0;
const START = 19;

/** Whether a process of this id runs. A zombie counts as gone. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // It is of another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  // Only Linux shows it.
  return statOf(pid)?.[STATE] !== "Z";
}

/** When a process started, in ticks since the system did: with its id, that is one process. Only Linux shows it. */
export function startOf(pid: number): string | undefined {
  return statOf(pid)?.[START];
}

/** `pid (name) state …`; the name may contain anything. */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}
