// All that is missing or wrong in a language.
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ENGLISH } from "../locales.ts";
import { root } from "../paths.mjs";
import { readJson } from "../read-json.mjs";
import {
  labelsNotExplained,
  problemsOfCatalog,
  problemsOfErrors,
  problemsOfHelp,
  type Rules,
  textsByKey,
} from "./problems.ts";

type TextFile = { english: string; isHelp: boolean };

const COMMON = "nodes/common/locales/en-US/common.json";
const SCRIPTS: Readonly<Record<string, RegExp>> = {
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u,
  "zh-CN": /\p{Script=Han}/u,
};

/** @param tag of the language. @returns one line each: file, key, what is wrong */
export async function problemsOfLanguage(tag: string): Promise<string[]> {
  const files = await englishFiles();
  const rules = await rulesOf(tag);
  const found = await Promise.all(files.map((file) => problemsOfFile(file, tag, rules)));
  const errors = `nodes/common/locales/${tag}/errors.json`;
  const texts = await textOf(errors);
  const ofErrors = texts === undefined ? ["missing"] : problemsOfErrors(JSON.parse(texts), rules);
  const wanted = new Set([errors, ...files.map(({ english }) => pathIn(english, tag))]);
  const folders = [...new Set([...wanted].map((file) => file.slice(0, file.lastIndexOf("/"))))];
  const there = folders.filter((folder) => existsSync(join(root, folder)));
  const names = await Promise.all(
    there.map(async (folder) => (await readdir(join(root, folder))).map((name) => `${folder}/${name}`)),
  );
  const extra = names.flat().filter((file) => !wanted.has(file));
  return [
    ...found.flat(),
    ...ofErrors.map((problem) => `${errors}: ${problem}`),
    ...extra.map((file) => `${file}: no such file in English`),
  ];
}

export async function rulesOf(tag: string): Promise<Rules> {
  const same: Record<string, string[]> = await readJson(
    join(root, "nodes/common/locales/same-as-english.json"),
  );
  const words = [...(same.all ?? []), ...(same[tag] ?? [])];
  return {
    same: new Set(words.flatMap((text) => text.toLowerCase().split(" "))),
    phrases: words.filter((text) => text.includes(" ")),
    ...(SCRIPTS[tag] ? { script: SCRIPTS[tag] } : {}),
    hasSpaces: SCRIPTS[tag] === undefined,
  };
}

async function problemsOfFile({ english, isHelp }: TextFile, tag: string, rules: Rules) {
  const path = pathIn(english, tag);
  const [original = "", text] = await Promise.all([textOf(english), textOf(path)]);
  if (text === undefined) return [`${path}: missing`];
  const problems = isHelp
    ? [...problemsOfHelp(original, text, rules), ...(await labelsOf(english, tag, original, text))]
    : problemsOfCatalog(JSON.parse(original), JSON.parse(text), rules);
  return problems.map((problem) => `${path}: ${problem}`);
}

/** @param help path of the English one */
async function labelsOf(help: string, tag: string, original: string, text: string) {
  const catalogs = [COMMON, help.replace(/\.md$/, ".json")];
  const textsIn = async (paths: readonly string[]) => {
    const texts = await Promise.all(paths.map((path) => textOf(path)));
    return new Map(texts.flatMap((one) => (one ? [...textsByKey(JSON.parse(one))] : [])));
  };
  const translated = await textsIn(catalogs.map((path) => pathIn(path, tag)));
  return labelsNotExplained(text, await textsIn(catalogs), original, translated);
}

/** @returns every catalog and help in English, from the root */
export async function englishFiles(): Promise<TextFile[]> {
  const found = await Promise.all(
    ["nodes", "plugins"].map(async (folder) =>
      (await readdir(join(root, folder), { recursive: true }))
        .map((file) => `${folder}/${file.replaceAll("\\", "/")}`)
        .filter((file) => /\/locales\/en-US\/[\w-]+\.(?:json|md)$/.test(file)),
    ),
  );
  const files = found.flat().sort();
  return files.map((english) => ({ english, isHelp: english.endsWith(".md") }));
}

export function pathIn(english: string, tag: string) {
  return english.replace(`/locales/${ENGLISH}/`, `/locales/${tag}/`);
}

/** @param path from the root */
export async function textOf(path: string): Promise<string | undefined> {
  return existsSync(join(root, path)) ? readFile(join(root, path), "utf8") : undefined;
}
