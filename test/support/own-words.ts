import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { wordsOfTranslation } from "../../plugins/monitor/diagnostics/words-of-translation.ts";
import { isTranslation, ownWords } from "../../scripts/lib/own-words.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The words that diagnostics keep: of the sources, and of the catalogs in each language. */
export async function keptWords(): Promise<ReadonlySet<string>> {
  const files = await Promise.all(
    ["nodes", "plugins"].map(async (folder) =>
      (await readdir(join(root, folder), { recursive: true })).map((file) => join(root, folder, file)),
    ),
  );
  const catalogs = files.flat().filter((file) => file.endsWith(".json") && isTranslation(file));
  const texts = await Promise.all(catalogs.map((file) => readFile(file, "utf8")));
  return new Set([...(await ownWords()).split(" "), ...texts.flatMap(wordsOfTranslation)]);
}
