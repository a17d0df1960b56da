// The texts of a node or a plugin in each language, as Node-RED wants them.
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { commonTextsOf, onlyNeeded } from "./common-texts.ts";
import { root } from "./paths.mjs";
import { readJson } from "./read-json.mjs";

/** The language in which all texts are written first, and into which Node-RED falls back. */
export const ENGLISH = "en-US";
/** The status of a translation that no native speaker has read yet. */
export const UNREAD = "needs a native reader";

type Catalog = Record<string, Record<string, object> | undefined>;
type Language = { name: string; status: string; note: string };

/** @returns by tag; English is not among them */
export function languages(): Promise<Record<string, Language>> {
  return readJson(join(root, "nodes/common/locales/languages.json"));
}

/**
 * Writes the catalog of a node in each language that has one, with the common texts that it needs, and its help in each
 * language but English, which is in the node's own page.
 *
 * @param name of the node
 * @param folder of the built nodes
 */
export async function writeNodeTexts(
  name: string,
  folder: string,
  textOf: import("./common-texts.ts").Reader,
) {
  const translations = await languages();
  const isNeeded = await commonTextsOf(name, textOf);
  const tags = [ENGLISH, ...Object.keys(translations)];
  const sourceOf = (tag: string) => join(root, "nodes", name, "locales", tag);
  const catalogs = await Promise.all(
    tags.map(async (tag) => {
      const own = await textsIn(join(sourceOf(tag), `${name}.json`));
      const common = await textsIn(join(root, "nodes/common/locales", tag, "common.json"));
      return { ...onlyNeeded(common ?? {}, isNeeded), ...own };
    }),
  );
  for (const [index, tag] of tags.entries()) {
    const catalog = catalogs[index] ?? {};
    const others = catalogs.filter((other) => other !== catalog);
    if (Object.keys(catalog).length > 0) {
      const texts = { ...translatedStatuses(name, catalog, others), ...catalog };
      await writeText(folder, tag, `${name}.json`, JSON.stringify(texts));
    }
    const help = join(sourceOf(tag), `${name}.md`);
    if (tag !== ENGLISH && existsSync(help)) {
      const text = withNote((await readFile(help, "utf8")).trim(), translations[tag]);
      await writeText(folder, tag, `${name}.html`, helpElement(name, text));
    }
  }
}

/**
 * The texts of statuses in other languages, as keys of their own: the editor looks up the finished text of a status in
 * the node's catalog, so that a person reads it in the language of the editor. It looks up only texts that begin with a
 * Latin letter, and takes what stands before a colon or a dot as something else.
 *
 * @param name of the node
 * @param others in the other languages
 */
function translatedStatuses(name: string, catalog: Catalog, others: Catalog[]): Record<string, string> {
  const own = statusesOf(name, catalog);
  const pairs = others.flatMap((other) =>
    Object.entries(statusesOf(name, other))
      .filter(([key, text]) => isLookedUp(text) && own[key] !== undefined && own[key] !== text)
      .map(([key, text]) => [text, own[key]]),
  );
  return Object.fromEntries(pairs);
}

const isLookedUp = (text: string) => /^[A-Za-z][^.:]*$/.test(text) && !text.includes("__");

/** @param name of the node. @returns nothing for a config node: it shows none */
function statusesOf(name: string, catalog: Catalog): Record<string, string> {
  const own = catalog[name]?.status;
  return own === undefined ? {} : { ...catalog.common?.status, ...catalog.common?.service, ...own };
}

/**
 * Writes what the codes of errors mean in each language that has it: once for all nodes, which read it when an error
 * is reported.
 *
 * @param folder of the build
 */
export async function writeErrorTexts(folder: string) {
  await mkdir(join(folder, "errors"), { recursive: true });
  for (const tag of Object.keys(await languages())) {
    const texts = await textsIn(join(root, "nodes/common/locales", tag, "errors.json"));
    if (texts) await writeFile(join(folder, "errors", `${tag}.json`), JSON.stringify(texts));
  }
}

/** @param name of the plugin. @param folder of the built plugins */
export async function writePluginTexts(name: string, folder: string) {
  for (const tag of [ENGLISH, ...Object.keys(await languages())]) {
    const texts = await textsIn(join(root, "plugins", name, "locales", tag, `${name}.json`));
    const all = texts && (await withServiceWords(texts, tag));
    if (all) await writeText(folder, tag, `${name}.json`, JSON.stringify(all));
  }
}

/** The sidebar has the words that nodes have for what the service says. @param texts of a plugin */
async function withServiceWords({ monitor, ...texts }: Catalog, tag: string) {
  if (!monitor) return texts;
  const { common } = await readJson(join(root, "nodes/common/locales", tag, "common.json"));
  return {
    ...texts,
    monitor: { ...monitor, status: { ...common.service, ...monitor.status }, reason: common.reason },
  };
}

export function scriptElement(type: string, attributes: string, content: string) {
  return `<script type="${type}"${attributes && ` ${attributes}`}>\n${content.trim()}\n</script>\n`;
}

/** @param name of the node. @param text in Markdown */
export function helpElement(name: string, text: string) {
  return scriptElement("text/markdown", `data-help-name="crec-${name}"`, text);
}

/** A reader who stumbles over a sentence should know that it may be the translation. */
function withNote(help: string, language: Language | undefined) {
  return language?.status === UNREAD ? `${help}\n\n*${language.note}*` : help;
}

/** @returns undefined where nobody has begun: Node-RED then shows English */
async function textsIn(path: string): Promise<Catalog | undefined> {
  return existsSync(path) ? readJson(path) : undefined;
}

async function writeText(folder: string, tag: string, file: string, text: string) {
  await mkdir(join(folder, "locales", tag), { recursive: true });
  await writeFile(join(folder, "locales", tag, file), text);
}
