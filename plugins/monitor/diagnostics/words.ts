import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { translatedWords } from "./translated-words.ts";

/** The words of the texts in our sources, made by the build. Those of other languages are in the catalogs beside it. */
declare const OWN_WORDS: string;

const ENGLISH = "en-US";

/** In lower case, in all languages of the package. */
export async function ownWords(): Promise<ReadonlySet<string>> {
  const folders = ["nodes/locales", "plugins/locales", "errors"].map((folder) => join(__dirname, folder));
  const texts = await Promise.all(folders.map(textsIn));
  return new Set([...OWN_WORDS.split(" "), ...translatedWords(texts.flat().join("\n"))]);
}

/** The catalogs in a folder, but for the English ones. Without one that cannot be read, diagnostics show fewer words. */
async function textsIn(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true }).catch((): string[] => []);
  const catalogs = files.filter((file) => file.endsWith(".json") && !file.startsWith(ENGLISH));
  return Promise.all(catalogs.map((file) => readFile(join(folder, file), "utf8").catch(() => "")));
}
