import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { wordsOfTranslation } from "./words-of-translation.ts";

/** The words of the texts in our sources, made by the build. */
declare const OWN_WORDS: string;

/** Beside the built file: what Node-RED reads them from. */
const CATALOGS = ["nodes", "plugins"];
const TRANSLATED = /[\\/](?!en-US[\\/])[\w-]+[\\/][\w-]+\.json$/;

let known: Promise<ReadonlySet<string>> | undefined;

/** The words of our texts in all languages, in lower case. */
export function ownWords(): Promise<ReadonlySet<string>> {
  known ??= Promise.all(CATALOGS.map((folder) => wordsIn(join(__dirname, folder)))).then(
    (translated) => new Set([...OWN_WORDS.split(" "), ...translated.flat()]),
  );
  return known;
}

/** Without the catalogs, diagnostics show fewer words. */
async function wordsIn(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  const texts = files
    .filter((file) => TRANSLATED.test(file))
    .map((file) => readFile(join(folder, file), "utf8").catch(() => ""));
  return (await Promise.all(texts)).flatMap(wordsOfTranslation);
}
