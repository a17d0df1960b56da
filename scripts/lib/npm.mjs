// @ts-check
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const QUIET = ["--ignore-scripts", "--loglevel=error", "--no-audit", "--no-fund", "--no-update-notifier"];

/**
 * Runs npm without scripts, notices and reports.
 *
 * @param {readonly string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<string>} what it prints
 */
export async function npm(args, { cwd, env = process.env }) {
  const isWindows = process.platform === "win32";
  // The shell of Windows, which npm needs there, splits at spaces.
  const passed = isWindows ? args.map((arg) => (/\s/.test(arg) ? `"${arg}"` : arg)) : args;
  const { stdout } = await promisify(execFile)("npm", [...passed, ...QUIET], {
    ...{ cwd, env, maxBuffer: 2 ** 26, shell: isWindows },
  });
  return stdout;
}
