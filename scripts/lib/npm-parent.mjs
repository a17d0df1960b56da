// @ts-check
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { promisify } from "node:util";

const INTERVAL_MS = 1_000;
const SHELL = /^-?(ba|da|k|z|a)?sh$|^cmd\.exe$/i;

/**
 * What the system says of processes; a test replaces it.
 *
 * @typedef {object} System
 * @property {NodeJS.Platform} platform
 * @property {() => number} parentOfUs
 * @property {(pid: number) => Promise<{ name: string, parent: number } | undefined>} inspect
 * @property {(pid: number) => boolean} exists
 * @property {number} intervalMs
 */

/**
 * Calls back when the npm that started this process has ended. Otherwise `kill -9` of npm would leave all processes
 * running.
 *
 * npm runs a script as `sh -c`, and that shell may stay between: so each link of the chain from us to npm is
 * watched. What is above npm is not: a terminal may be closed while its programs go on.
 *
 * @param {() => void} onGone
 */
export async function watchNpm(onGone) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const { platform } = process;
  const system = { platform, parentOfUs: () => process.ppid, inspect, exists, intervalMs: INTERVAL_MS };
  await watchParents(system, onGone);
}

/**
 * @param {System} system
 * @param {() => void} onGone
 */
export async function watchParents(system, onGone) {
  const { platform, parentOfUs, inspect: look, exists: isThere, intervalMs } = system;
  const parent = parentOfUs();
  const first = look(parent).then((found) => (SHELL.test(found?.name ?? "") ? found?.parent : undefined));
  // Windows takes a second to answer.
  const shellParent = platform === "win32" ? undefined : await first;
  /** A process of Windows keeps the id of a parent that has ended. */
  const hasLostOneOnWindows = async () => {
    const above = await first;
    return !isThere(parent) || (above !== undefined && !isThere(above));
  };
  const hasLostOne = async () =>
    parentOfUs() !== parent || (shellParent !== undefined && (await look(parent))?.parent !== shellParent);
  const isOrphan = platform === "win32" ? hasLostOneOnWindows : hasLostOne;
  let isOver = false;
  const timer = setInterval(async () => {
    if (!(await isOrphan()) || isOver) return;
    isOver = true;
    clearInterval(timer);
    onGone();
  }, intervalMs);
  timer.unref();
}

/** @param {number} pid */
function exists(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code !== "ESRCH";
  }
}

/**
 * A process's name and parent: from /proc on Linux, from PowerShell on Windows, from `ps` elsewhere; undefined when
 * that does not know it.
 *
 * @param {number} pid
 * @returns {Promise<{ name: string, parent: number } | undefined>}
 */
async function inspect(pid) {
  try {
    if (process.platform === "linux") {
      // `pid (name) state parent …`, and the name may hold anything, a parenthesis too.
      const stat = await readFile(`/proc/${pid}/stat`, "utf8");
      const nameEnd = stat.lastIndexOf(")");
      const parent = Number(stat.slice(nameEnd + 2).split(" ")[1]);
      return { name: stat.slice(stat.indexOf("(") + 1, nameEnd), parent };
    }
    if (process.platform === "win32") {
      const query = `Get-CimInstance Win32_Process -Filter 'ProcessId = ${pid}' | Select-Object Name, ParentProcessId | ConvertTo-Json`;
      const args = ["-NoProfile", "-NonInteractive", "-Command", query];
      const { stdout } = await promisify(execFile)("powershell.exe", args, { windowsHide: true });
      const { Name: name, ParentProcessId: above } = JSON.parse(stdout);
      return { name, parent: above };
    }
    const { stdout } = await promisify(execFile)("ps", ["-o", "ppid=,comm=", "-p", String(pid)]);
    const [, parent, command] = /^\s*(\d+)\s+(.*?)\s*$/.exec(stdout) ?? [];
    return parent && command ? { name: basename(command), parent: Number(parent) } : undefined;
  } catch {
    return undefined;
  }
}
