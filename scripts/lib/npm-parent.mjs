// @ts-check
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { promisify } from "node:util";

const INTERVAL_MS = 1_000;
const SHELL = /^-?(ba|da|k|z|a)?sh$/;

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
  const parent = process.ppid;
  const shellParent = SHELL.test((await inspect(parent))?.name ?? "")
    ? (await inspect(parent))?.parent
    : undefined;
  const timer = setInterval(async () => {
    const shellIsOrphan = shellParent !== undefined && (await inspect(parent))?.parent !== shellParent;
    if (process.ppid === parent && !shellIsOrphan) return;
    clearInterval(timer);
    onGone();
  }, INTERVAL_MS);
  timer.unref();
}

/**
 * A process's name and parent: from /proc on Linux, from `ps` elsewhere, undefined when neither knows it.
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
    const { stdout } = await promisify(execFile)("ps", ["-o", "ppid=,comm=", "-p", String(pid)]);
    const [, parent, command] = /^\s*(\d+)\s+(.*?)\s*$/.exec(stdout) ?? [];
    return parent && command ? { name: basename(command), parent: Number(parent) } : undefined;
  } catch {
    return undefined;
  }
}
