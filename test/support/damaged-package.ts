import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { NodeRed, type UserDir } from "./node-red.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** What Node-RED reads of an installed package. */
const INSTALLED = ["package.json", "dist", "resources"];

/** How a file is damaged: it is not there, it cannot be read as code, or it throws when it is loaded. */
export type Damage = "missing" | "cut off" | "throws";

export const DAMAGES: readonly Damage[] = ["missing", "cut off", "throws"];

export async function damage(path: string, how: Damage): Promise<void> {
  await rm(path, { recursive: true });
  if (how === "cut off") await writeFile(path, '"use strict";\nfunction half({');
  if (how === "throws") await writeFile(path, 'throw new Error("of a test");\n');
}

/** Copies the built library, without the nodes, into a folder. */
export async function copyLibrary(folder: string): Promise<void> {
  for (const file of ["package.json", "index.js", ...PARTS])
    await cp(join(root, "dist", file), join(folder, file), { recursive: true });
}

/** The parts of the library that are files of their own. */
export const PARTS = ["fleet-postgres.js", "fleet-redis.js", "custody-aws-kms.js"];

/** Starts Node-RED with the package installed in its user directory, as by the palette, and files in `dist` damaged. */
export async function startDamaged(
  userDir: UserDir,
  damaged: Readonly<Record<string, Damage>>,
): Promise<NodeRed> {
  const { name, version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const installed = join(userDir.path, "node_modules", name);
  await mkdir(installed, { recursive: true });
  for (const file of INSTALLED) await cp(join(root, file), join(installed, file), { recursive: true });
  for (const [file, how] of Object.entries(damaged)) await damage(join(installed, "dist", file), how);
  await writeFile(join(userDir.path, "package.json"), JSON.stringify({ dependencies: { [name]: version } }));
  const settings = join(userDir.path, "settings.cjs");
  const usual = JSON.stringify(join(root, "scripts/node-red-settings.cjs"));
  await writeFile(settings, `module.exports = Object.assign(require(${usual}), { nodesDir: [] });\n`);
  return NodeRed.start(userDir, {}, { settings });
}
