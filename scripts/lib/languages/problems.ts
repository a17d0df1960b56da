// What is wrong with translated texts, beside the English ones. Tools for i18next know keys; none knows what a form, a help
// and an error of Node-RED need.
import { documentedCodes } from "../api/error-codes.ts";

export type Rules = {
  /** words that are the same in English, in lower case */
  same: ReadonlySet<string>;
  /** several words that are the same in English */
  phrases: readonly string[];
  /** letters that every text of the language has, if it does not use Latin ones */
  script?: RegExp;
  /** whether the language has spaces between words */
  hasSpaces: boolean;
};

/** i18next takes the plural by itself. */
const PLURAL = "_plural";
/** Those that Node-RED fills in, and those in texts for people who write alerts. */
const PLACEHOLDER = /__[\w-]+?__|\{\{[\w.]+\}\}/g;
const PARTS = { tags: /<\/?[a-z][^>]*>/gi, codes: /\$\{\w+\}|`[^`]*`|\b[A-Z]+(?:_[A-Z]+)+\b/g };
/** A help is part of the page of the editor. */
const PARTS_OF_HELP = { code: /`[^`]+`/g, links: /\]\(([^)]+)\)/g, tags: /<[^>]*>?/g };
const BOLD = /\*\*.+?\*\*/g;

/** Frequent English words that none of the languages has. */
const ENGLISH = /\b(?:the|and|of|is|are|with|this|that|not|does|has|which|from|your|when|than|only)\b/i;
/** Names of fields, codes, values and what is quoted are not translated. */
const NO_PROSE = new RegExp(
  [
    ...["`[^`]*`", '"[^"]*"', "“[^”]*”", "„[^“]*“", "「[^」]*」", "<[^>]*>", "\\]\\([^)]*\\)"],
    // Addresses, PEM, a line of an ABI.
    ...["\\w+://\\S+", "-----[A-Z ]+-----", "^event \\w+\\([^)]*\\)$"],
    // Names such as ${NAME}, WAIT_TIMEOUT, settings.js, a/b and maxAge.
    ...["\\$\\{?\\w+\\}?", "\\b\\w*_\\w+\\b", "\\b\\w+(?:[./]\\w+)+\\b", "\\b[a-z]+[A-Z]\\w*\\b"],
  ].join("|"),
  "g",
);
const WORD = /\p{L}[\p{L}\p{M}\p{N}-]*/gu;

/** @returns one line each, with the key */
export function problemsOfCatalog(english: object, translated: object, rules: Rules): string[] {
  const [wanted, found] = [textsByKey(english), textsByKey(translated)];
  const [missing, extra] = difference([...wanted.keys()], [...found.keys()]);
  const wrong = [...found].flatMap(([key, text]) => {
    const original = wanted.get(key);
    if (original === undefined) return [];
    // A language with one form only says the number in both.
    const plural = wanted.get(`${key}${PLURAL}`) ?? "";
    return problemsOfText(original, text, plural, rules).map((problem) => `${key}: ${problem}`);
  });
  return [
    ...missing.map((key) => `${key}: missing`),
    ...extra.map((key) => `${key}: not in English`),
    ...wrong,
  ];
}

/** Keys with dots between the levels. */
export function textsByKey(catalog: object, prefix = ""): Map<string, string> {
  return new Map(
    Object.entries(catalog).flatMap(([key, value]) =>
      typeof value === "object" && value !== null
        ? [...textsByKey(value, `${prefix}${key}.`)]
        : [[`${prefix}${key}`, String(value)]],
    ),
  );
}

/** @param plural of the same text in English, if it has one */
function problemsOfText(english: string, text: string, plural: string, rules: Rules) {
  if (text.trim() === "") return english.trim() === "" ? [] : ["empty"];
  const problems = [];
  const also: readonly string[] = plural.match(PLACEHOLDER) ?? [];
  const [lost, added] = difference(english.match(PLACEHOLDER), text.match(PLACEHOLDER));
  if (lost.length > 0) problems.push(`without ${lost.join(", ")}`);
  const unknown = added.filter((one) => !also.includes(one));
  if (unknown.length > 0) problems.push(`has ${unknown.join(", ")}, which English has not`);
  problems.push(...otherParts(english, text, PARTS));
  if (/(?:^|[^.])\.$/.test(english) !== /(?:^|[^.])\.$|。$/.test(text))
    problems.push("ends otherwise: with or without a full stop");
  if (/^\s|\s$/.test(english) !== /^\s|\s$/.test(text) && rules.hasSpaces)
    problems.push("begins or ends otherwise: with or without a space");
  return [
    ...problems,
    ...englishIn(text.replace(PLACEHOLDER, " "), english.replace(PLACEHOLDER, " "), rules),
  ];
}

/**
 * The translations of errors: one for each code of docs/errors.md. Their English texts are the sentences in the code.
 *
 * @param texts by code. @returns one line each, with the code
 */
export function problemsOfErrors(texts: Record<string, string>, rules: Rules): string[] {
  const codes = documentedCodes().flatMap(({ code, kind }) => (kind === "error" ? [code] : []));
  const missing = codes.filter((code) => !Object.hasOwn(texts, code)).map((code) => `${code}: missing`);
  const wrong = Object.entries(texts).flatMap(([code, text]) => {
    const problems = codes.includes(code) ? englishIn(text, "", rules) : ["not in docs/errors.md"];
    // The sentence in English follows, with all values.
    if (/__[\w-]+?__|\{\{?[\w.]+\}\}?|\$\{/.test(text))
      problems.push("has a placeholder, and errors have no values to put in");
    if (!/[.。]$/.test(text)) problems.push("does not end with a full stop");
    return problems.map((problem) => `${code}: ${problem}`);
  });
  return [...missing, ...wrong];
}

/** @param english in Markdown. @returns one line each */
export function problemsOfHelp(english: string, translated: string, rules: Rules): string[] {
  const start = (line = "(nothing)") => (line.length > 60 ? `${line.slice(0, 60)}…` : line);
  const linesOf = (text: string) => text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const [wanted, found] = [linesOf(english), linesOf(translated)];
  const at = wanted.findIndex((line, index) => kindOf(line) !== kindOf(found[index]));
  if (at >= 0 || found.length !== wanted.length) {
    const line = at >= 0 ? at : wanted.length;
    return [
      `another structure from its line ${line + 1} (without empty ones): "${start(found[line])}" for "${start(wanted[line])}"`,
    ];
  }
  const boldIn = (text: string) => text.match(BOLD)?.length ?? 0;
  // Names of nodes are in bold, and the same in every language.
  const withoutNames = (line: string) => line.replace(/^#+ |^\s*(?:-|\d+\.) /, "");
  return found.flatMap((line, index) => {
    const original = wanted[index] ?? "";
    const [is, was] = [boldIn(line), boldIn(original)];
    const problems = [
      ...otherParts(original, line, PARTS_OF_HELP),
      ...(is === was ? [] : [`${is} parts in bold for ${was}`]),
      ...englishIn(withoutNames(line), withoutNames(original), rules),
    ];
    return problems.map((problem) => `${problem}, in "${start(line)}"`);
  });
}

/** What a line is: a heading of a level, an item at a depth, a row with so many cells, or a paragraph. */
function kindOf(line: string | undefined) {
  if (line === undefined) return undefined;
  const [, mark = ""] = /^(#+ |\s*(?:-|\d+\.) |\||```)/.exec(line) ?? [];
  return mark === "|" ? `row of ${line.split("|").length}` : mark;
}

/**
 * The labels of a form that its help does not have in bold.
 *
 * @param english the node's texts and those that all nodes share, by key
 */
export function labelsNotExplained(
  help: string,
  english: ReadonlyMap<string, string>,
  englishHelp: string,
  translated: ReadonlyMap<string, string>,
) {
  const plain = (text: string) => text.replaceAll("**", "").trim().toLowerCase();
  const bold = new Set(help.match(BOLD)?.map(plain));
  // Names of nodes are in bold too, in lower case: the node function is not the label Function.
  const explained = new Set(
    englishHelp
      .match(BOLD)
      ?.filter((text) => !/^\*\*\p{Ll}/u.test(text))
      .map(plain),
  );
  const keys = [...english].filter(
    ([key, text]) => /(?:^|\.)label\.[\w-]+$/.test(key) && explained.has(plain(text)),
  );
  // Two fields may have the same label in English: the help then has one of them.
  const byText = Map.groupBy(keys, ([, text]) => plain(text));
  return [...byText.values()].flatMap((same) => {
    const labels = same.map(([key]) => translated.get(key) ?? "");
    const isThere = labels.some((label) => bold.has(plain(label)));
    return isThere ? [] : [`the label "${labels[0]}" (${same[0]?.[0]}) is not in bold`];
  });
}

function otherParts(english: string, text: string, parts: Readonly<Record<string, RegExp>>) {
  return Object.entries(parts).flatMap(([what, pattern]) => {
    const others = difference(english.match(pattern), text.match(pattern)).flat();
    return others.length === 0 ? [] : [`other ${what}: ${others.join(", ")}`];
  });
}

/** @returns what is missing, what is too much */
function difference(wanted: readonly string[] | null, found: readonly string[] | null): [string[], string[]] {
  const [one, other] = [new Set(wanted), new Set(found)];
  return [[...one].filter((part) => !other.has(part)), [...other].filter((part) => !one.has(part))];
}

/** Finds English where another language should be. */
function englishIn(text: string, english: string, { same, phrases, script }: Rules): string[] {
  const named = phrases.reduce((rest, phrase) => rest.replaceAll(phrase, " "), text);
  const prose = named.replace(NO_PROSE, " ");
  const others = (prose.match(WORD) ?? [])
    .map((word) => word.toLowerCase())
    .filter((word) => !same.has(word));
  if (others.length === 0) return [];
  if (text.trim() === english.trim()) return [`left in English: ${others.join(" ")}`];
  if (script && !script.test(prose)) return [`without a letter of the language: ${text}`];
  const found = ENGLISH.exec(prose);
  return found ? [`has the English word "${found[0]}"`] : [];
}
