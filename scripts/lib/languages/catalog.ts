// What is wrong with a translated catalog, beside the English one.
import { englishIn } from "./left-in-english.ts";

/** i18next takes the plural by itself. */
const PLURAL = "_plural";
/** Those that Node-RED fills in, and those in texts for people who write alerts. */
const PLACEHOLDER = /__[\w-]+?__|\{\{[\w.]+\}\}/g;
const TAG = /<\/?[a-z][^>]*>/gi;
const CODE = /\$\{\w+\}|`[^`]*`|\b[A-Z]+(?:_[A-Z]+)+\b/g;

/** @returns one line each, with the key */
export function problemsOfCatalog(
  english: object,
  translated: object,
  rules: import("./left-in-english.ts").Rules,
): string[] {
  const [wanted, found] = [textsByKey(english), textsByKey(translated)];
  const missing = [...wanted.keys()].filter((key) => !found.has(key)).map((key) => `${key}: missing`);
  const extra = [...found.keys()].filter((key) => !wanted.has(key)).map((key) => `${key}: not in English`);
  const wrong = [...found].flatMap(([key, text]) => {
    const original = wanted.get(key);
    if (original === undefined) return [];
    // A language with one form only says the number in both.
    const plural = wanted.get(`${key}${PLURAL}`) ?? "";
    return problemsOfText(original, text, plural, rules).map((problem) => `${key}: ${problem}`);
  });
  return [...missing, ...extra, ...wrong];
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
function problemsOfText(
  english: string,
  text: string,
  plural: string,
  rules: import("./left-in-english.ts").Rules,
) {
  if (text.trim() === "") return english.trim() === "" ? [] : ["empty"];
  const problems = [];
  const also = new Set(plural.match(PLACEHOLDER));
  const [lost, added] = difference(english.match(PLACEHOLDER), text.match(PLACEHOLDER));
  if (lost.length > 0) problems.push(`without ${lost.join(", ")}`);
  const unknown = added.filter((one) => !also.has(one));
  if (unknown.length > 0) problems.push(`has ${unknown.join(", ")}, which English has not`);
  for (const [what, pattern] of [
    ["tags", TAG],
    ["codes", CODE],
  ] as const) {
    const [gone, more] = difference(english.match(pattern), text.match(pattern));
    if (gone.length + more.length > 0) problems.push(`other ${what}: ${[...gone, ...more].join(", ")}`);
  }
  if (/(?:^|[^.])\.$/.test(english) !== /(?:^|[^.])\.$|。$/.test(text))
    problems.push("ends otherwise: with or without a full stop");
  if (/^\s|\s$/.test(english) !== /^\s|\s$/.test(text) && rules.hasSpaces)
    problems.push("begins or ends otherwise: with or without a space");
  return [
    ...problems,
    ...englishIn(text.replace(PLACEHOLDER, " "), english.replace(PLACEHOLDER, " "), rules),
  ];
}

/** @returns what is missing, what is too much */
function difference(wanted: readonly string[] | null, found: readonly string[] | null): [string[], string[]] {
  const [one, other] = [new Set(wanted), new Set(found)];
  return [[...one].filter((part) => !other.has(part)), [...other].filter((part) => !one.has(part))];
}
