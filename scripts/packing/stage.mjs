// @ts-check
// Makes packages from a folder of their own: nothing in the repository is touched, so tests and checks can do it at any
// time. The content is that of `npm pack`.
import { execFile } from "node:child_process";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { npm } from "../lib/npm.mjs";
import { root } from "../lib/paths.mjs";
import { inCompressibleOrder } from "./compressible-order.mjs";
import { packedTexts } from "./packed-texts.mjs";

/** @typedef {{ name: string, version: string, filename: string, size: number, files: string[] }} Packed */

/**
 * Copies what is packed of a built package.
 *
 * @param {string} folder of the package, from the root: "", "client" or "service"
 * @param {string} target a new folder
 * @param {import("../lib/owner.mjs").Owner} [owner] instead of the one in release/owner.json
 */
export async function stage(folder, target, owner) {
  const source = join(root, folder);
  const { files } = packedIn(await npm(["pack", "--dry-run", "--json"], { cwd: source }));
  for (const file of files) {
    await mkdir(dirname(join(target, file)), { recursive: true });
    await cp(join(source, file), join(target, file));
  }
  for (const [file, text] of await packedTexts(folder, owner)) await writeFile(join(target, file), text);
}

/**
 * Packs as `npm pack` does, into a file that is smaller.
 *
 * @param {string} staged a folder made by `stage`
 * @param {string} destination where the file is written
 * @returns {Promise<Packed>}
 */
export async function pack(staged, destination) {
  await mkdir(destination, { recursive: true });
  const packed = packedIn(await npm(["pack", "--json", "--pack-destination", destination], { cwd: staged }));
  const file = join(destination, packed.filename);
  const ordered = inCompressibleOrder(await readFile(file));
  await writeFile(file, ordered);
  return { ...packed, size: ordered.length };
}

/**
 * @param {string} file made by `npm pack`
 * @param {string} folder a new one, for the files of the package
 */
export async function unpack(file, folder) {
  await mkdir(folder, { recursive: true });
  await promisify(execFile)("tar", ["-xzf", file, "--strip-components=1", "-C", folder]);
}

/**
 * @param {string} printed by `npm pack --json`
 * @returns {Packed}
 */
export function packedIn(printed) {
  // npm 12 prints an object by name, older versions a list.
  const [packed] = Object.values(JSON.parse(printed));
  return { ...packed, files: packed.files.map((/** @type {{ path: string }} */ { path }) => path) };
}
