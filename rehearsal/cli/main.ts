import { lstat, mkdir, mkdtemp, readFile, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { visible } from "../report/words.ts";
import { CommandProblem, helpText, messageOf, readCommand } from "./command-line.ts";
import { rehearse } from "./rehearse.ts";
import type { Output } from "./summary.ts";

const OUTPUT: Output = {
  say: (line) => void process.stdout.write(`${line}\n`),
  warn: (line) => void process.stderr.write(`${line}\n`),
};

/**
 * Runs the command.
 *
 * @param args without Node.js and the file
 * @param packageFolder this package, built
 * @returns the exit code: 0 as expected, 1 with differences, 2 for a wrong call or a failed rehearsal
 */
export async function main(
  args: readonly string[],
  packageFolder: string,
  output: Output = OUTPUT,
): Promise<0 | 1 | 2> {
  const interrupted = new AbortController();
  const stop = () => interrupted.abort();
  for (const signal of SIGNALS) process.once(signal, stop);
  try {
    const command = readCommand(args);
    if (command === "help") output.say(helpText());
    else if (command === "version") output.say(await version(packageFolder));
    else {
      const { signal } = interrupted;
      const workRoot = await ownFolder();
      return await rehearse(command, { packageFolder: resolve(packageFolder), workRoot, output, signal });
    }
    return 0;
  } catch (error) {
    output.warn(visible(messageOf(error)));
    return 2;
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

async function version(packageFolder: string): Promise<string> {
  const manifest = await readFile(join(packageFolder, "package.json"), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}

/** All rehearsals of a user are in one folder, so that leftovers go at the next start. Nobody else may own it. */
async function ownFolder(): Promise<string> {
  const user = process.getuid?.();
  const folder = join(tmpdir(), user === undefined ? "crec-rehearse" : `crec-rehearse-${user}`);
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(notUsable);
  const found = await lstat(folder);
  const isOwn = found.isDirectory() && (user === undefined || found.uid === user);
  if (!isOwn)
    throw new CommandProblem(
      `${folder} belongs to somebody else. Set ${VARIABLES[0]} to a folder of your own.`,
    );
  // An old folder may be on a disk that is full, or mounted for reading only. What a crash leaves here goes later.
  await mkdtemp(join(folder, "rehearsal-")).then(rmdir).catch(notUsable);
  return folder;
}

/** What `tmpdir` reads, in its order. */
const VARIABLES = process.platform === "win32" ? ["TEMP", "TMP"] : ["TMPDIR", "TMP", "TEMP"];

function notUsable(error: unknown): never {
  const name = VARIABLES.find((variable) => process.env[variable]);
  const why =
    name === undefined ? "No environment variable names it" : `The environment variable ${name} names it`;
  throw new CommandProblem(
    `The folder for temporary files, ${tmpdir()}, cannot be used: ${messageOf(error)}. ${why}: set ${name ?? VARIABLES[0]} to a folder that exists, that you may write to, and that has space.`,
  );
}
