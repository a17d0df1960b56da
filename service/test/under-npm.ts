import { type ChildProcess, spawn } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { npmCommand } from "../../scripts/lib/npm-command.mjs";
import { eventually } from "../../test/support/eventually.ts";
import type { ReadyInfo } from "../src/index.ts";

/** What the command of the service prints, in the folder that it is called in. */
export const OUTPUT = "output";
export const COMMAND = `crec-service --local --port 0 >${OUTPUT}`;

/** A service that was started by a command, and that command in a process group of its own. */
export async function startedBy(folder: string, command: string, args: readonly string[]) {
  await rm(join(folder, OUTPUT), { force: true });
  const child: ChildProcess = spawn(command, args, {
    cwd: folder,
    env: {
      ...process.env,
      PATH: `${join(folder, "node_modules/.bin")}:${process.env.PATH}`,
      CREC_DATA_DIR: join(folder, "data"),
      npm_config_update_notifier: "false",
      // As if the tests were not run by npm.
      npm_lifecycle_event: undefined,
    },
    stdio: "ignore",
    detached: true,
  });
  const ready = await eventually("the ready line", async () => {
    const text = await readFile(join(folder, OUTPUT), "utf8").catch(() => "");
    const line = /^ready (.*)\n/m.exec(text)?.[1];
    return line === undefined ? undefined : (JSON.parse(line) as ReadyInfo);
  });
  return { child, ready };
}

/** A service that was started by npm, with these arguments of it. */
export async function startedByNpm(folder: string, ...npmArgs: string[]) {
  const { command, args } = npmCommand(npmArgs);
  return await startedBy(folder, command, args);
}

/** Whether neither the service nor its chain answers. */
export async function isGone({ base_url, rpc_url }: ReadyInfo): Promise<boolean> {
  for (const url of [base_url, rpc_url]) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer !== undefined) return false;
  }
  return true;
}
