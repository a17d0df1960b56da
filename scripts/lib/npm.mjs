// @ts-check
import { runNpm } from "./npm-command.mjs";

const QUIET = ["--ignore-scripts", "--loglevel=error", "--no-audit", "--no-fund", "--no-update-notifier"];

/**
 * Runs npm without scripts, notices and reports.
 *
 * @param {readonly string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<string>} what it prints
 */
export async function npm(args, { cwd, env = process.env }) {
  const { stdout } = await runNpm([...args, ...QUIET], { cwd, env, maxBuffer: 2 ** 26 });
  return stdout;
}
