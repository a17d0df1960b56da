// @ts-check
import { runNpm } from "./npm-command.mjs";

/** By the environment: it reaches the npm that npm runs, too. */
const QUIET = Object.fromEntries(
  Object.entries({
    ...{ ignore_scripts: true, loglevel: "error", audit: false, fund: false, update_notifier: false },
  }).map(([name, value]) => [`npm_config_${name}`, String(value)]),
);

/**
 * Runs npm without scripts, notices and reports.
 *
 * @param {readonly string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<string>} what it prints
 */
export async function npm(args, { cwd, env = process.env }) {
  const { stdout } = await runNpm(args, { cwd, env: { ...env, ...QUIET }, maxBuffer: 2 ** 26 });
  return stdout;
}
