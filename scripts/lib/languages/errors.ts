// What is wrong with the translations of errors: one for each code of docs/errors.md.
import { documentedCodes } from "../api/error-codes.ts";
import { englishIn } from "./left-in-english.ts";

/** Its English texts are the sentences in the code and docs/errors.md, so there is no English file. */
export const ERRORS_FILE = "errors.json";
/** The sentence in English follows, with all values. */
const PLACEHOLDER = /__[\w-]+?__|\{\{?[\w.]+\}\}?|\$\{/;

/** @param texts by code. @param rules of the language. @returns one line each, with the code */
export function problemsOfErrors(
  texts: Record<string, string>,
  rules: import("./left-in-english.ts").Rules,
): string[] {
  const codes = documentedCodes().flatMap(({ code, kind }) => (kind === "error" ? [code] : []));
  const missing = codes.filter((code) => !Object.hasOwn(texts, code)).map((code) => `${code}: missing`);
  const wrong = Object.entries(texts).flatMap(([code, text]) => {
    const problems = codes.includes(code) ? englishIn(text, "", rules) : ["not in docs/errors.md"];
    if (PLACEHOLDER.test(text)) problems.push("has a placeholder, and errors have no values to put in");
    if (!/[.。]$/.test(text)) problems.push("does not end with a full stop");
    return problems.map((problem) => `${code}: ${problem}`);
  });
  return [...missing, ...wrong];
}
