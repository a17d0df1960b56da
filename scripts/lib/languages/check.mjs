// @ts-check
// All that is missing or wrong in a language.

import { join } from "node:path";
import { root } from "../paths.mjs";
import { readJson } from "../read-json.mjs";
import { problemsOfCatalog, textsByKey } from "./catalog.mjs";
import { ERRORS_FILE, problemsOfErrors } from "./errors.mjs";
import { englishFiles, leftOver, pathIn, textOf } from "./files.mjs";
import { labelsNotExplained, problemsOfHelp } from "./help.mjs";

const COMMON = "nodes/common/locales/en-US/common.json";

/**
 * @param {string} tag of the language
 * @returns {Promise<string[]>} one line each: file, key, what is wrong
 */
export async function problemsOfLanguage(tag) {
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

/**
 * @param {string} tag
 * @returns {Promise<import("./left-in-english.mjs").Rules>}
 */
export async function rulesOf(tag) {
  /** @type {Record<string, string[]>} */
  const same = await readJson(join(root, "scripts/lib/languages/same-as-english.json"));
  const words = [...(same.all ?? []), ...(same[tag] ?? [])];
  return {
    same: new Set(words.flatMap((text) => text.toLowerCase().split(" "))),
    phrases: words.filter((text) => text.includes(" ")),
    ...(SCRIPTS[tag] ? { script: SCRIPTS[tag] } : {}),
    hasSpaces: SCRIPTS[tag] === undefined,
  };
}

/** @type {Readonly<Record<string, RegExp>>} */
const SCRIPTS = {
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u,
  "zh-CN": /\p{Script=Han}/u,
};

/**
 * @param {import("./files.mjs").TextFile} file
 * @param {string} tag
 * @param {import("./left-in-english.mjs").Rules} rules
 */
async function problemsOfFile({ english, isHelp }, tag, rules) {
  const path = pathIn(english, tag);
  const [original = "", text] = await Promise.all([textOf(english), textOf(path)]);
  if (text === undefined) return [`${path}: missing`];
  const problems = isHelp
    ? [...problemsOfHelp(original, text, rules), ...(await labelsOf(english, tag, original, text))]
    : problemsOfCatalog(JSON.parse(original), JSON.parse(text), rules);
  return problems.map((problem) => `${path}: ${problem}`);
}

/**
 * @param {string} help path of the English one
 * @param {string} tag
 * @param {string} original
 * @param {string} text
 */
async function labelsOf(help, tag, original, text) {
  const catalog = help.replace(/\.md$/, ".json");
  const [english, translated] = await Promise.all([
    textsOf([COMMON, catalog]),
    textsOf([COMMON, catalog].map((path) => pathIn(path, tag))),
  ]);
  return labelsNotExplained(text, english, original, translated);
}

/** @param {readonly string[]} paths */
async function textsOf(paths) {
  const texts = await Promise.all(paths.map((path) => textOf(path)));
  return new Map(texts.flatMap((text) => (text ? [...textsByKey(JSON.parse(text))] : [])));
}
