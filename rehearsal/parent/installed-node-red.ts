import { existsSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve, sep } from "node:path";
import { CrecError } from "../../src/errors.ts";
import type { InstalledNodeRed, TickedModule } from "../shared/job.ts";

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
  const runtime = folderOfPackage("node-red", from) ?? from;
  const found = folderOfPackage("@node-red/runtime", runtime) ?? folderOfPackage("@node-red/runtime", from);
  if (found === undefined) throw notFound(`from the folder ${from}`);
  return fromRuntime(found);
}

function fromRuntime(runtime: string): InstalledNodeRed {
  const util = folderOfPackage("@node-red/util", runtime);
  const nodes =
    folderOfPackage("@node-red/nodes", dirname(dirname(runtime))) ??
    folderOfPackage("@node-red/nodes", runtime);
  if (util === undefined || nodes === undefined) throw notFound(`completely beside ${runtime}`);
  const { version } = JSON.parse(readFileSync(join(runtime, "package.json"), "utf8")) as { version: string };
  return { version, runtime, util, nodes, readable: readableOf(runtime, util, nodes) };
}

function readableOf(...folders: string[]): string[] {
  return [...new Set(folders.map(moduleFolder))];
}

/** The folder of a package, as a module in `from` finds it. */
export function folderOfPackage(name: string, from: string): string | undefined {
  const folder = placesOf(name, from).find((path) => existsSync(join(path, "package.json")));
  return folder === undefined ? undefined : realpathSync(folder);
}

/** Where a module in `from` would find a package, the nearest first. */
export function placesOf(name: string, from: string): string[] {
  const searched = createRequire(join(from, "any.js")).resolve.paths(name) ?? [];
  return searched.map((path) => join(path, ...name.split("/")));
}

function notFound(where: string): CrecError {
  return new CrecError(
    "REHEARSAL_NO_NODE_RED",
    `No Node-RED was found ${where}. Install it in the project (npm install node-red), or name its folder with --node-red.`,
  );
}

// What the process of a rehearsal may read, by the permission model of Node.js. Writing, child processes, workers, addons,
// WASI and the inspector are not allowed, since no flag allows them. WebAssembly works without one.

/** What the process needs. All paths are absolute. */
type Allowed = {
  nodeRed: InstalledNodeRed;
  packageFolder: string;
  /** Its current folder, which stays empty. */
  workFolder: string;
  modules: readonly TickedModule[];
  /** The folder of the program that runs. */
  program: string;
};

/** Of this package: what a rehearsal loads, and nothing else of the folder. */
const OF_PACKAGE = ["package.json", "dist", "resources", "examples"];

/** The flags for this Node.js. Empty where it has no permission model. */
export function permissionFlags(
  allowed: Allowed,
  known: ReadonlySet<string> = process.allowedNodeEnvironmentFlags,
): string[] {
  const model = ["--permission", "--experimental-permission"].find((flag) => known.has(flag));
  if (model === undefined) return [];
  const readable = [
    ...allowed.nodeRed.readable,
    ...OF_PACKAGE.map((name) => join(allowed.packageFolder, name)),
    ...allowed.modules.map(({ folder }) => moduleFolder(folder)),
    allowed.program,
    allowed.workFolder,
  ];
  return [model, ...withRealPaths(readable).map((path) => `--allow-fs-read=${path}`)];
}

/**
 * The folder that has what a module loads: the nearest `node_modules`, or the outermost one where it links into a
 * store, as pnpm does. A module that is nowhere below one has its packages in its own folder.
 */
function moduleFolder(folder: string): string {
  const real = existsSync(folder) ? realpathSync(folder) : folder;
  const parts = real.split(sep);
  const at = parts.includes(".pnpm") ? parts.indexOf("node_modules") : parts.lastIndexOf("node_modules");
  return at === -1 ? real : parts.slice(0, at + 1).join(sep);
}

/** Node.js follows links before it compares. What does not exist needs no permission. */
function withRealPaths(paths: readonly string[]): string[] {
  const both = paths.filter((path) => existsSync(path)).flatMap((path) => [path, realpathSync(path)]);
  return [...new Set(both)];
}
