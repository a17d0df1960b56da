// The files with texts, in English and in the other languages.
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ENGLISH } from "../locales.ts";
import { root } from "../paths.mjs";

/** A file in English, from the root. `labels` are of its node, for the help. */
export type TextFile = { english: string; isHelp: boolean };

/** @returns every catalog and help in English */
export async function englishFiles(): Promise<TextFile[]> {
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

export function pathIn(english: string, tag: string) {
  return english.replace(`/locales/${ENGLISH}/`, `/locales/${tag}/`);
}

/** Files of a language that have no English one. */
export async function leftOver(tag: string, files: readonly TextFile[]): Promise<string[]> {
  const wanted = new Set(files.map(({ english }) => pathIn(english, tag)));
  const folders = [...new Set([...wanted].map((file) => file.slice(0, file.lastIndexOf("/"))))];
  const found = await Promise.all(
    folders
      .filter((folder) => existsSync(join(root, folder)))
      .map(async (folder) => (await readdir(join(root, folder))).map((file) => `${folder}/${file}`)),
  );
  return found.flat().filter((file) => !wanted.has(file));
}

/** @param path from the root */
export async function textOf(path: string): Promise<string | undefined> {
  return existsSync(join(root, path)) ? readFile(join(root, path), "utf8") : undefined;
}
