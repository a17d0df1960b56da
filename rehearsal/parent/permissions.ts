import { existsSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import type { InstalledNodeRed } from "../shared/installation.ts";
import type { TickedModule } from "../shared/job.ts";

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
export function moduleFolder(folder: string): string {
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
