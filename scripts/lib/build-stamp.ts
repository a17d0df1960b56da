// What dist/ was built from, so that `npm start` can skip a build that would change nothing. Contents are compared: a
// file may change without its size or time, and a branch may change all times and nothing else.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { root } from "./paths.mjs";

const STAMP = "build-stamp.json";

/** All that the build reads, itself included. */
const INPUTS = [
  ...["nodes", "plugins", "rehearsal", "src", "icons", "docs/glossary.md"],
  ...["LICENSE", "package.json", "tsconfig.json"],
  ...["scripts/build.ts", "scripts/lib", "scripts/packing", "scripts/notices", "release/owner.json"],
];
/** Where npm notes each package that it has installed, with its version: those that are bundled, and esbuild. */
const INSTALLED = "node_modules/.package-lock.json";

/** @returns undefined where nobody knows which packages are installed */
export async function inputsHash(): Promise<string | undefined> {
  if (!existsSync(join(root, INSTALLED))) return undefined;
  const lists = await Promise.all([...INPUTS, INSTALLED].map((path) => filesOf(join(root, path))));
  return hashOf(root, lists.flat());
}

/** Notes in a complete build what it was made from. @param inputs as they were before the build */
export async function writeStamp(folder: string, inputs: string) {
  const outputs = await outputsHash(folder);
  await writeFile(join(folder, STAMP), `${JSON.stringify({ inputs, outputs })}\n`);
}

/** Whether a folder has what a build from these inputs has, all of it and unchanged. @param folder of the build */
export async function isStamped(folder: string, inputs: string | undefined) {
  try {
    const stamp = JSON.parse(await readFile(join(folder, STAMP), "utf8"));
    return stamp.inputs === inputs && stamp.outputs === (await outputsHash(folder));
  } catch {
    // There is no build, or somebody is replacing it.
    return false;
  }
}

async function outputsHash(folder: string) {
  const files = (await filesOf(folder)).filter((file) => file !== join(folder, STAMP));
  return hashOf(folder, files);
}

/** @param path of a file or folder, or of nothing */
export async function filesOf(path: string): Promise<string[]> {
  if (!existsSync(path)) return [];
  // What reading a file as a folder throws depends on the system.
  if ((await stat(path)).isFile()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** @param files in it */
export function hashOf(folder: string, files: readonly string[]) {
  const hash = createHash("sha256");
  for (const file of [...files].sort()) {
    // A thousand small files: asynchronous reads take several times the processor time.
    const content = readFileSync(file);
    // With its length: otherwise the end of one file could be the start of the next.
    hash.update(`${relative(folder, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}
