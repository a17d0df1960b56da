// @ts-check
// Versions of Node.js and of packages, installed by npm into temporary folders.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { npm } from "./npm.mjs";

/** npm's name for the Node.js package of this platform. */
const NODE = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;

/**
 * @param {string} target a folder, made where it is not there
 * @param {readonly string[]} packages
 */
export async function installInto(target, packages) {
  await mkdir(target, { recursive: true });
  await writeFile(join(target, "package.json"), '{ "private": true }\n');
  await npm(["install", ...packages], { cwd: target });
}

/**
 * @param {string} folder for all versions
 * @param {string} version such as `22` or `20.18.1`
 * @returns {Promise<string>} its program
 */
export async function installNode(folder, version) {
  const { target, program } = installedNode(folder, version);
  await installInto(target, [`${NODE}@${version}`]);
  return program;
}

/**
 * Where `installNode` puts a version.
 *
 * @param {string} folder
 * @param {string} version as it was asked for
 */
export function installedNode(folder, version) {
  const target = join(folder, `node-${version}`);
  const ofNode = join(target, "node_modules", NODE);
  const program = join(ofNode, process.platform === "win32" ? "bin/node.exe" : "bin/node");
  return { target, folder: ofNode, program };
}
