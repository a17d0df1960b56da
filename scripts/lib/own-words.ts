// The words in the texts of the nodes, the library and the plugins, in English. Diagnostics show no others but
// those of the translations: a name, a key or a value in an error is not among them.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./paths.mjs";

const STRING = /"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;
/** A single letter is a word in `a` only; longer runs of letters are no words. */
const WORD = /^(?:[A-Za-z]{2,20}|a)$/;
/** Diagnostics read these from the package. */
const TRANSLATED = /[\\/]locales[\\/](?:same-as-english|(?!en-US[\\/])[\w-]+[\\/])/;

/** @returns in lower case, with spaces between */
export async function ownWords(): Promise<string> {
  const words: Set<string> = new Set();
  for (const folder of ["nodes", "plugins", "src"]) {
    const files = await readdir(join(root, folder), { recursive: true });
    for (const file of files.filter((name) => /\.(?:ts|json)$/.test(name) && !TRANSLATED.test(name))) {
      const text = await readFile(join(root, folder, file), "utf8");
      const texts = [...text.matchAll(STRING)].map(([, quoted, template]) => quoted ?? template ?? "");
      for (const part of texts.flatMap((one) => one.split(/[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])/))) {
        if (WORD.test(part)) words.add(part.toLowerCase());
      }
    }
  }
  return [...words].sort().join(" ");
}
