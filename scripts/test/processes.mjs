// @ts-check
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** @typedef {{ pid: number, command: string }} Running */

/**
 * The processes that inherited an environment variable of this value; only Linux shows them.
 *
 * @param {string} name
 * @param {string} value
 * @returns {Running[]}
 */
export function processesWith(name, value) {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .flatMap((entry) => {
      try {
        const environment = readFileSync(`/proc/${entry}/environ`, "utf8").split("\0");
        if (!environment.includes(`${name}=${value}`)) return [];
        const command = readFileSync(`/proc/${entry}/cmdline`, "utf8").replaceAll("\0", " ").trim();
        return [{ pid: Number(entry), command }];
      } catch {
        return []; // It ended while we looked, or belongs to somebody else.
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
