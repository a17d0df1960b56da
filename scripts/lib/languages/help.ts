// What is wrong with a translated help, beside the English one.
import { englishIn } from "./left-in-english.ts";

const CODE = /`[^`]+`/g;
const LINK = /\]\(([^)]+)\)/g;
/** A help is part of the page of the editor. */
const TAG = /<[^>]*>?/g;
const BOLD = /\*\*.+?\*\*/g;

/** @param english in Markdown. @returns one line each */
export function problemsOfHelp(
  english: string,
  translated: string,
  rules: import("./left-in-english.ts").Rules,
): string[] {
  const [wanted, found] = [linesOf(english), linesOf(translated)];
  const [shape, other] = [wanted, found].map((lines) => lines.map(kindOf));
  const at = (shape ?? []).findIndex((kind, index) => kind !== other?.[index]);
  if (at >= 0 || found.length !== wanted.length) {
    const line = at >= 0 ? at : wanted.length;
    return [
      `another structure from its line ${line + 1} (without empty ones): "${start(found[line])}" for "${start(wanted[line])}"`,
    ];
  }
  return found.flatMap((line, index) =>
    problemsOfLine(wanted[index] ?? "", line, rules).map((problem) => `${problem}, in "${start(line)}"`),
  );
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
  const bold = new Set([...help.matchAll(BOLD)].map(([text]) => plain(text)));
  // Names of nodes are in bold too, in lower case: the node function is not the label Function.
  const inBold = [...englishHelp.matchAll(BOLD)].filter(([text]) => !/^\*\*\p{Ll}/u.test(text));
  const explained = new Set(inBold.map(([text]) => plain(text)));
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

function plain(text: string) {
  return text.replaceAll("**", "").trim().toLowerCase();
}

function linesOf(text: string) {
  return text.split(/\r?\n/).filter((line) => line.trim() !== "");
}

/** What a line is: a heading of a level, an item at a depth, a row with so many cells, or a paragraph. */
function kindOf(line: string) {
  const [, mark = ""] = /^(#+ |\s*(?:-|\d+\.) |\||```)/.exec(line) ?? [];
  return mark === "|" ? `row of ${line.split("|").length}` : mark;
}

function problemsOfLine(english: string, line: string, rules: import("./left-in-english.ts").Rules) {
  const problems = [];
  const parts = [
    ["code", CODE],
    ["links", LINK],
    ["tags", TAG],
  ] as const;
  for (const [what, pattern] of parts) {
    const [wanted, found] = [english, line].map((text) =>
      [...text.matchAll(pattern)].map(([all]) => all).sort(),
    );
    const lost = (wanted ?? []).filter((one) => !found?.includes(one));
    const added = (found ?? []).filter((one) => !wanted?.includes(one));
    if (lost.length + added.length > 0) problems.push(`other ${what}: ${[...lost, ...added].join(", ")}`);
  }
  const count = (text: string) => (text.match(BOLD) ?? []).length;
  if (count(english) !== count(line)) problems.push(`${count(line)} parts in bold for ${count(english)}`);
  return [...problems, ...englishIn(withoutNames(line), withoutNames(english), rules)];
}

/** Names of nodes are in bold, and the same in every language. */
function withoutNames(line: string) {
  return line.replace(/^#+ |^\s*(?:-|\d+\.) /, "");
}

function start(line: string | undefined = "(nothing)") {
  return line.length > 60 ? `${line.slice(0, 60)}…` : line;
}
