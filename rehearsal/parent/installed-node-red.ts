import { existsSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve, sep } from "node:path";
import { CrecError } from "../../src/errors.ts";
import type { InstalledNodeRed } from "../shared/installation.ts";
import { moduleFolder } from "./permissions.ts";

const RUNTIME = join("@node-red", "runtime", "lib", "index.js");

/**
 * The Node-RED that runs in this process, found by the modules that it has loaded: also where a program of its own
 * starts Node-RED.
 *
 * @param require of a CommonJS file, as Node-RED loads them
 * @throws {CrecError} `REHEARSAL_NO_NODE_RED`
 */
export function runningNodeRed(require: NodeJS.Require): InstalledNodeRed {
  const file = Object.keys(require.cache).find((path) => path.endsWith(`${sep}${RUNTIME}`));
  if (file === undefined) throw notFound("in this process");
  return fromRuntime(dirname(dirname(file)));
}

/**
 * The Node-RED of a folder: of a project that depends on it, of its user directory, or the folder of the package
 * `node-red` itself.
 *
 * @throws {CrecError} `REHEARSAL_NO_NODE_RED`
 */
export function nodeRedOf(folder: string): InstalledNodeRed {
  const from = resolve(folder);
  const runtime = find("node-red", from) ?? from;
  const found = find("@node-red/runtime", runtime) ?? find("@node-red/runtime", from);
  if (found === undefined) throw notFound(`from the folder ${from}`);
  return fromRuntime(found);
}

function fromRuntime(runtime: string): InstalledNodeRed {
  const util = find("@node-red/util", runtime);
  const nodes = find("@node-red/nodes", dirname(dirname(runtime))) ?? find("@node-red/nodes", runtime);
  if (util === undefined || nodes === undefined) throw notFound(`completely beside ${runtime}`);
  const { version } = JSON.parse(readFileSync(join(runtime, "package.json"), "utf8")) as { version: string };
  return { version, runtime, util, nodes, readable: readableOf(runtime, util, nodes) };
}

function readableOf(...folders: string[]): string[] {
  return [...new Set(folders.map(moduleFolder))];
}

/** The folder of a package, as a module in `from` finds it. */
function find(name: string, from: string): string | undefined {
  const searched = createRequire(join(from, "any.js")).resolve.paths(name) ?? [];
  const folder = searched
    .map((path) => join(path, ...name.split("/")))
    .find((path) => existsSync(join(path, "package.json")));
  return folder === undefined ? undefined : realpathSync(folder);
}

function notFound(where: string): CrecError {
  return new CrecError(
    "REHEARSAL_NO_NODE_RED",
    `No Node-RED was found ${where}. Install it in the project (npm install node-red), or name its folder with --node-red.`,
  );
}
