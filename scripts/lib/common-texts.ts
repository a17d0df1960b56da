// Which of the common texts a node needs. Node-RED has a catalog for each node: with all of them in each, in each
// language, they would be a tenth of the package.
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { root } from "./paths.mjs";

/** Code of the run time can get the API of any node. */
const OF_ALL = "nodes/common";
/** What runs in the browser and in the build is found by its imports. */
const NOT_OF_ALL = /[\\/]nodes[\\/]common[\\/](?:editor|build)[\\/]/;
const FORM = "nodes/common/editor/node-form.ts";
/** Words of the service, for nodes whose own code shows them. */
const OF_SOME = "service-words.ts";

const IMPORT = /from "(\.[^"]+\.ts)"/g;
const KEY = /["'`\]](common\.[\w.-]+)["'`;]/g;
/** The rest of the key is only known where the code runs. */
const BEGINNING = /`(common\.[\w.-]*)\$\{/g;
/** i18next takes the plural by itself. */
const PLURAL = /_plural$/;

export type Reader = (file: string) => Promise<string>;

/**
 * @param name of the node
 * @param textOf of a file, from `reader`
 * @returns whether a common text is needed, by its key with dots
 */
export async function commonTextsOf(name: string, textOf: Reader): Promise<(key: string) => boolean> {
  const own = await sourcesIn(join(root, "nodes", name));
  const files = await imported([...own, join(root, FORM)], textOf);
  for (const file of await sourcesIn(join(root, OF_ALL)))
    if (!file.endsWith(OF_SOME) && !NOT_OF_ALL.test(file)) files.add(file);
  const text = (await Promise.all([...files].map(textOf))).join("\n");
  const keys = new Set([...text.matchAll(KEY)].map(([, key = ""]) => key));
  const beginnings = [...new Set([...text.matchAll(BEGINNING)].map(([, beginning = ""]) => beginning))];
  return (key) =>
    keys.has(key.replace(PLURAL, "")) || beginnings.some((beginning) => key.startsWith(beginning));
}

/** A catalog with only some of its texts. */
export function onlyNeeded(catalog: object, isNeeded: (key: string) => boolean, prefix: string = ""): object {
  const entries = Object.entries(catalog).flatMap(([key, value]) => {
    if (typeof value === "string") return isNeeded(prefix + key) ? [[key, value]] : [];
    const inner = onlyNeeded(value, isNeeded, `${prefix}${key}.`);
    return Object.keys(inner).length > 0 ? [[key, inner]] : [];
  });
  return Object.fromEntries(entries);
}

/** All that these files import, directly or not; also for a type, behind which there is code that they call. */
async function imported(files: readonly string[], textOf: Reader) {
  const found = new Set(files);
  for (const file of found) {
    for (const [, path = ""] of (await textOf(file)).matchAll(IMPORT)) {
      const target = resolve(dirname(file), path);
      if (existsSync(target)) found.add(target);
    }
  }
  return found;
}

async function sourcesIn(folder: string) {
  const files = await readdir(folder, { recursive: true });
  return files.filter((file) => file.endsWith(".ts")).map((file) => join(folder, file));
}

/** Reads each file once in a build: most belong to all nodes. */
export function reader(): Reader {
  const texts: Map<string, Promise<string>> = new Map();
  return (file) => {
    const text = texts.get(file) ?? readFile(file, "utf8");
    texts.set(file, text);
    return text;
  };
}
