// @ts-check
import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import { root } from "./paths.mjs";

/**
 * Reads a JSON file; an error names the file and the line.
 *
 * @param {string} path
 */
export async function readJson(path) {
  const text = await readFile(path, "utf8");
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${relative(root, path)}: ${/** @type {Error} */ (error).message}`);
  }
}
