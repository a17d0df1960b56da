// @ts-check
// Ends a program with what started it. JavaScript, since launchers of the repository load it on any Node.js.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { promisify } from "node:util";

const INTERVAL_MS = 1_000;
const SHELL = /^-?(ba|da|k|z|a)?sh$|^cmd\.exe$/i;
/** More shells than these are not between us and npm. */
const MAX_SHELLS = 8;

/**
 * `group` is the process group: an interactive shell gives each command one of its own. Windows has none.
 *
 * @typedef {{ name: string, parent: number, group?: number | undefined }} Process
 */

/**
 * What the system says of processes; a test replaces it.
 *
 * @typedef {object} System
 * @property {NodeJS.Platform} platform
 * @property {() => number} parentOfUs
 * @property {(pid: number) => Promise<Process | undefined>} inspect
 * @property {(pid: number) => boolean} exists
 * @property {number} intervalMs
 */

/** @type {System} */
const OURS = {
  platform: process.platform,
  parentOfUs: () => process.ppid,
  inspect,
  exists,
  intervalMs: INTERVAL_MS,
};

/**
 * Calls back when the npm that started this process has ended, by `npm run` or `npx`. Otherwise a kill of npm would leave
 * all processes running, and a SIGTERM too: npm passes it on to its shell alone.
 *
 * A shell in which someone typed the command is not npm, whatever its environment says.
 *
 * @param {() => void} onGone
 */
export async function watchNpm(onGone) {
  if (process.env.npm_lifecycle_event === undefined) return;
  // Windows has no groups, and takes a second to answer.
  if (process.platform === "win32" || (await isOneJob())) await watchParents(OURS, onGone);
}

async function isOneJob() {
  const group = (await inspect(process.pid))?.group;
  return (await parentsOf(OURS)).every((parent) => parent.group === group);
}

/**
 * Calls back when the process that started this one has ended.
 *
 * @param {() => void} onGone
 */
export async function watchParent(onGone) {
  await watchParents(OURS, onGone);
}

/**
 * npm runs a script as `sh -c`, and that shell may stay between: so each link of the chain from us to the first process
 * that is no shell is watched. What is above that is not: a terminal may be closed while its programs go on.
 *
 * @param {System} system
 * @param {() => void} onGone
 */
export async function watchParents(system, onGone) {
  const { platform, parentOfUs, inspect: look, exists: isThere, intervalMs } = system;
  const chain = parentsOf(system);
  // Windows takes a second to answer.
  if (platform !== "win32") await chain;
  /** A process of Windows keeps the id of a parent that has ended. */
  const hasLostOneOnWindows = async () => (await chain).some(({ pid }) => !isThere(pid));
  const hasLostOne = async () => {
    let above = parentOfUs();
    for (const { pid } of await chain) {
      if (above !== pid) return true;
      above = (await look(pid))?.parent ?? 0;
    }
    return false;
  };
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

/**
 * Our parent, and those above it up to the first that is no shell.
 *
 * @param {System} system
 * @returns {Promise<{ pid: number, group: number | undefined }[]>}
 */
async function parentsOf({ parentOfUs, inspect: look }) {
  const chain = [];
  for (let pid = parentOfUs(); pid > 0 && chain.length < MAX_SHELLS; ) {
    const found = await look(pid);
    chain.push({ pid, group: found?.group });
    if (found === undefined || !SHELL.test(found.name)) break;
    pid = found.parent;
  }
  return chain;
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
 * From /proc on Linux, from PowerShell on Windows, from `ps` elsewhere; undefined when that does not know the process.
 *
 * @param {number} pid
 * @returns {Promise<Process | undefined>}
 */
async function inspect(pid) {
  try {
    if (process.platform === "linux") {
      // `pid (name) state parent group …`, and the name may hold anything, a parenthesis too.
      const stat = await readFile(`/proc/${pid}/stat`, "utf8");
      const nameEnd = stat.lastIndexOf(")");
      const [, parent, group] = stat.slice(nameEnd + 2).split(" ");
      return {
        name: stat.slice(stat.indexOf("(") + 1, nameEnd),
        parent: Number(parent),
        group: Number(group),
      };
    }
    if (process.platform === "win32") {
      const query = `Get-CimInstance Win32_Process -Filter 'ProcessId = ${pid}' | Select-Object Name, ParentProcessId | ConvertTo-Json`;
      const args = ["-NoProfile", "-NonInteractive", "-Command", query];
      const { stdout } = await promisify(execFile)("powershell.exe", args, { windowsHide: true });
      const { Name: name, ParentProcessId: above } = JSON.parse(stdout);
      return { name, parent: above };
    }
    const { stdout } = await promisify(execFile)("ps", ["-o", "ppid=,pgid=,comm=", "-p", String(pid)]);
    const [, parent, group, command] = /^\s*(\d+)\s+(\d+)\s+(.*?)\s*$/.exec(stdout) ?? [];
    if (!parent || !command) return undefined;
    return { name: basename(command), parent: Number(parent), group: Number(group) };
  } catch {
    return undefined;
  }
}
