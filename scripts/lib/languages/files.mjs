// @ts-check
// The files with texts, in English and in the other languages.
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ENGLISH } from "../locales.mjs";
import { root } from "../paths.mjs";

/** A file in English, from the root. `labels` are of its node, for the help. */
/** @typedef {{ english: string, isHelp: boolean }} TextFile */

/** @returns {Promise<TextFile[]>} every catalog and help in English */
export async function englishFiles() {
  const found = await Promise.all(
    ["nodes", "plugins"].map(async (folder) =>
      (await readdir(join(root, folder), { recursive: true }))
        .map((file) => `${folder}/${file.replaceAll("\\", "/")}`)
        .filter((file) => /\/locales\/en-US\/[\w-]+\.(?:json|md)$/.test(file)),
    ),
  );
  return found
    .flat()
    .sort()
    .map((english) => ({ english, isHelp: english.endsWith(".md") }));
}

/**
 * @param {string} english
 * @param {string} tag
 */
export function pathIn(english, tag) {
  return english.replace(`/locales/${ENGLISH}/`, `/locales/${tag}/`);
}

/**
 * Files of a language that have no English one.
 *
 * @param {string} tag
 * @param {readonly TextFile[]} files
 * @returns {Promise<string[]>}
 */
export async function leftOver(tag, files) {
  const wanted = new Set(files.map(({ english }) => pathIn(english, tag)));
  const folders = [...new Set([...wanted].map((file) => file.slice(0, file.lastIndexOf("/"))))];
  const found = await Promise.all(
    folders
      .filter((folder) => existsSync(join(root, folder)))
      .map(async (folder) => (await readdir(join(root, folder))).map((file) => `${folder}/${file}`)),
  );
  return found.flat().filter((file) => !wanted.has(file));
}

/**
 * @param {string} path from the root
 * @returns {Promise<string | undefined>}
 */
export async function textOf(path) {
  return existsSync(join(root, path)) ? readFile(join(root, path), "utf8") : undefined;
}
