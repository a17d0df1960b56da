// @ts-check
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** @typedef {{ pid: number, command: string }} Running */
/**
 * @typedef {{ pid: number, parent: number, own: number, ofChildren: number }} Usage of a process: seconds of a processor
 *   that it used, and those of its children that have ended and that it waited for, with theirs
 */

/** Ticks are 10 ms on all architectures that Node.js runs on. */
const TICKS_PER_SECOND = 100;

/** Linux only. @returns {Usage[]} of all processes */
export function usages() {
  return pids().flatMap((pid) => usageOf(pid) ?? []);
}

/**
 * @param {number | "self"} pid
 * @returns {Usage | undefined} nothing when it has ended
 */
export function usageOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name before it may have spaces and parentheses. From field 4: the parent, and from 14: user and system time,
    // own and of children.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [user = 0, system = 0, userOfChildren = 0, systemOfChildren = 0] = fields
      .slice(11, 15)
      .map((ticks) => Number(ticks) / TICKS_PER_SECOND);
    return {
      pid: Number(stat.slice(0, stat.indexOf(" "))),
      parent: Number(fields[1]),
      own: user + system,
      ofChildren: userOfChildren + systemOfChildren,
    };
  } catch {
    return undefined;
  }
}

function pids() {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number);
}

/**
 * The processes that inherited an environment variable of this value; only Linux shows them.
 *
 * @param {string} name
 * @param {string} value
 * @returns {Running[]}
 */
export function processesWith(name, value) {
  return pidsWith(name, value).flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      return [{ pid, command }];
    } catch {
      return []; // It ended while we looked.
    }
  });
}

/**
 * As `processesWith`, without the commands.
 *
 * @param {string} name
 * @param {string} value
 * @returns {number[]}
 */
export function pidsWith(name, value) {
  return pids().filter((pid) => {
    if (pid === process.pid) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(`${name}=${value}`);
    } catch {
      return false; // It ended while we looked, or belongs to somebody else.
    }
  });
}

/**
 * Kills a process that may have ended by itself.
 *
 * @param {Running} running
 */
export function kill({ pid }) {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "ESRCH") throw error;
  }
}

/**
 * Waits until all such processes have ended, and returns those that have not.
 *
 * @param {string} name
 * @param {string} value
 * @param {number} withinMs
 */
export async function stillRunning(name, value, withinMs) {
  for (const deadline = Date.now() + withinMs; ; ) {
    const running = processesWith(name, value);
    if (running.length === 0 || Date.now() > deadline) return running;
    await sleep(50);
  }
}
