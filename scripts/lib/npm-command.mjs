// @ts-check
// Runs npm. On Windows the command `npm` is a batch file: it needs a shell, which splits paths with spaces.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

/** Below the folder of Node.js, where its installer for Windows puts npm. */
const BESIDE_NODE = "node_modules/npm/bin/npm-cli.js";

/**
 * How to start npm with these arguments, without a shell on every system.
 *
 * @param {readonly string[]} args
 * @param {{ platform?: NodeJS.Platform, env?: NodeJS.ProcessEnv, node?: string, exists?: (path: string) => boolean }}
 *   [system] the one that this runs on, unless a test says otherwise
 * @returns {{ command: string, args: string[] }}
 * @throws {Error} on Windows, when npm is neither running this script nor beside Node.js
 */
export function npmCommand(
  args,
  { platform = process.platform, env = process.env, node = process.execPath, exists = existsSync } = {},
) {
  if (platform !== "win32") return { command: "npm", args: [...args] };
  // npm says where it is to the scripts that it runs.
  const programs = [env.npm_execpath ?? "", join(dirname(node), BESIDE_NODE)];
  const program = programs.find((path) => path.endsWith(".js") && exists(path));
  if (program === undefined) throw new Error('npm was not found: start this script with "npm run".');
  return { command: node, args: [program, ...args] };
}

/**
 * Runs npm until it ends.
 *
 * @param {readonly string[]} args
 * @param {import("node:child_process").ExecFileOptions} [options]
 * @returns {Promise<{ stdout: string, stderr: string }>} what it prints
 */
export async function runNpm(args, options = {}) {
  const { command, args: all } = npmCommand(args);
  const { stdout, stderr } = await promisify(execFile)(command, all, { ...options, encoding: "utf8" });
  return { stdout: String(stdout), stderr: String(stderr) };
}
