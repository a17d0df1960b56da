// @ts-check
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

/** @typedef {(file: string) => Promise<string>} Reader */

/**
 * @param {string} name of the node
 * @param {Reader} textOf of a file, from `reader`
 * @returns {Promise<(key: string) => boolean>} whether a common text is needed, by its key with dots
 */
export async function commonTextsOf(name, textOf) {
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

/**
 * A catalog with only some of its texts.
 *
 * @param {object} catalog
 * @param {(key: string) => boolean} isNeeded
 * @param {string} [prefix]
 * @returns {object}
 */
export function onlyNeeded(catalog, isNeeded, prefix = "") {
  const entries = Object.entries(catalog).flatMap(([key, value]) => {
    if (typeof value === "string") return isNeeded(prefix + key) ? [[key, value]] : [];
    const inner = onlyNeeded(value, isNeeded, `${prefix}${key}.`);
    return Object.keys(inner).length > 0 ? [[key, inner]] : [];
  });
  return Object.fromEntries(entries);
}

/**
 * All that these files import, directly or not; also for a type, behind which there is code that they call.
 *
 * @param {readonly string[]} files
 * @param {Reader} textOf
 */
async function imported(files, textOf) {
  const found = new Set(files);
  for (const file of found) {
    for (const [, path = ""] of (await textOf(file)).matchAll(IMPORT)) {
      const target = resolve(dirname(file), path);
      if (existsSync(target)) found.add(target);
    }
  }
  return found;
}

/** @param {string} folder */
async function sourcesIn(folder) {
  const files = await readdir(folder, { recursive: true });
  return files.filter((file) => file.endsWith(".ts")).map((file) => join(folder, file));
}

/**
 * Reads each file once in a build: most belong to all nodes.
 *
 * @returns {Reader}
 */
export function reader() {
  /** @type {Map<string, Promise<string>>} */
  const texts = new Map();
  return (file) => {
    const text = texts.get(file) ?? readFile(file, "utf8");
    texts.set(file, text);
    return text;
  };
}
