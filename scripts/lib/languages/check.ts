// All that is missing or wrong in a language.

import { join } from "node:path";
import { root } from "../paths.mjs";
import { readJson } from "../read-json.mjs";
import { problemsOfCatalog, textsByKey } from "./catalog.ts";
import { ERRORS_FILE, problemsOfErrors } from "./errors.ts";
import { englishFiles, leftOver, pathIn, textOf } from "./files.ts";
import { labelsNotExplained, problemsOfHelp } from "./help.ts";

const COMMON = "nodes/common/locales/en-US/common.json";

/** @param tag of the language. @returns one line each: file, key, what is wrong */
export async function problemsOfLanguage(tag: string): Promise<string[]> {
  const files = await englishFiles();
  const rules = await rulesOf(tag);
  const found = await Promise.all(files.map((file) => problemsOfFile(file, tag, rules)));
  const errors = `nodes/common/locales/${tag}/${ERRORS_FILE}`;
  const texts = await textOf(errors);
  const ofErrors = texts === undefined ? ["missing"] : problemsOfErrors(JSON.parse(texts), rules);
  const leftOvers = (await leftOver(tag, files)).filter((file) => file !== errors);
  const extra = leftOvers.map((file) => `${file}: no such file in English`);
  return [...found.flat(), ...ofErrors.map((problem) => `${errors}: ${problem}`), ...extra];
}

export async function rulesOf(tag: string): Promise<import("./left-in-english.ts").Rules> {
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

const SCRIPTS: Readonly<Record<string, RegExp>> = {
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u,
  "zh-CN": /\p{Script=Han}/u,
};

async function problemsOfFile(
  { english, isHelp }: import("./files.ts").TextFile,
  tag: string,
  rules: import("./left-in-english.ts").Rules,
) {
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
  const catalog = help.replace(/\.md$/, ".json");
  const [english, translated] = await Promise.all([
    textsOf([COMMON, catalog]),
    textsOf([COMMON, catalog].map((path) => pathIn(path, tag))),
  ]);
  return labelsNotExplained(text, english, original, translated);
}

async function textsOf(paths: readonly string[]) {
  const texts = await Promise.all(paths.map((path) => textOf(path)));
  return new Map(texts.flatMap((text) => (text ? [...textsByKey(JSON.parse(text))] : [])));
}
