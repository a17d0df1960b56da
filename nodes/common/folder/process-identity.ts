import { readFile, readlink } from "node:fs/promises";

/** Identifies a process among all that have run on this kernel since it was booted. */
export type ProcessIdentity = {
  pid: number;
  /** Where the number counts: the boot of the kernel, and the spaces of process ids and of times. */
  space: string;
  /** When it started, in ticks since the boot: a number may be given to another process later. */
  started: string;
};

/** Ended, but not yet taken note of by the process that started it. */
const DEAD_STATES = new Set(["Z", "X", "x"]);

/**
 * This process; undefined when others could not be certain that it has ended. Process ids alone are not enough: each
 * container has its own, and host names may be the same. Only Linux shows the namespace of process ids.
 */
export async function ownIdentity(): Promise<ProcessIdentity | undefined> {
  const [space, stat] = await Promise.all([ownSpace(), statOf(process.pid)]);
  return space === undefined || stat === undefined
    ? undefined
    : { pid: process.pid, space, started: stat.started };
}

/** Whether a process has surely ended. False where that cannot be known from here. */
export async function isGone({ pid, space, started }: ProcessIdentity): Promise<boolean> {
  if ((await ownSpace()) !== space) return false;
  // Asked before the files of /proc, which may hide the processes of others.
  if (!exists(pid)) return true;
  const stat = await statOf(pid);
  return stat !== undefined && (stat.started !== started || DEAD_STATES.has(stat.state));
}

/** Whether a value read from a file is one. */
export function isProcessIdentity(value: unknown): value is ProcessIdentity {
  if (typeof value !== "object" || value === null) return false;
  const { pid, space, started } = value as Record<string, unknown>;
  return (
    Number.isSafeInteger(pid) && Number(pid) > 0 && typeof space === "string" && typeof started === "string"
  );
}

async function ownSpace(): Promise<string | undefined> {
  if (process.platform !== "linux") return undefined;
  try {
    // The files of /proc may be those of another space, lent to a container: their numbers are not ours.
    if ((await readlink("/proc/self")) !== String(process.pid)) return undefined;
    const boot = (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
    const pids = await readlink("/proc/self/ns/pid");
    // Start times are relative to the time namespace of the reader. Older kernels have only one.
    const times = await readlink("/proc/self/ns/time").catch(() => "");
    return boot === "" ? undefined : [boot, pids, times].join(" ");
  } catch {
    return undefined;
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user may not be sent signals, but is there.
    return (error as { code?: unknown }).code !== "ESRCH";
  }
}

async function statOf(pid: number): Promise<{ state: string; started: string } | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name, which may hold anything. The state is the third, the start the 22nd.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const [state, started] = [fields[0], fields[19]];
    return state === undefined || started === undefined ? undefined : { state, started };
  } catch {
    return undefined;
  }
}
