// @ts-check
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { npm } from "./npm.mjs";

const IS_WINDOWS = process.platform === "win32";
/** npm's name for the Node.js package of this platform. */
const PACKAGE = `node-${IS_WINDOWS ? "win" : process.platform}-${process.arch}`;

/**
 * Installs another Node.js into a folder of its own. Needs the registry.
 *
 * @param {string} target a new folder
 * @param {string} version such as "22", the newest of these
 * @returns {Promise<string>} the folder of the program `node`
 */
export async function installNode(target, version) {
  await mkdir(target, { recursive: true });
  await writeFile(join(target, "package.json"), '{ "private": true }\n');
  await npm(["install", `${PACKAGE}@${version}`], { cwd: target });
  return join(target, "node_modules", PACKAGE, "bin");
}
