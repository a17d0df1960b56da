// @ts-check
// npm run languages: lists what is missing or wrong in the translations, a language after the other.
// npm run languages -- de ja lists only these. docs/translating.md says how to translate.
import { problemsOfLanguage } from "./lib/languages/check.mjs";
import { languages } from "./lib/locales.mjs";

const known = await languages();
const asked = process.argv.slice(2);
const unknown = asked.find((tag) => !(tag in known));
if (unknown !== undefined) {
  print(`There is no language ${unknown}. Choose from ${Object.keys(known).join(", ")}.`);
  process.exitCode = 1;
} else {
  for (const [tag, { name, status }] of Object.entries(known)) {
    if (asked.length > 0 && !asked.includes(tag)) continue;
    const problems = await problemsOfLanguage(tag);
    print(
      `${tag} (${name}, ${status}): ${problems.length === 0 ? "complete" : `${problems.length} problems`}`,
    );
    for (const problem of problems) print(`  ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
  }
}

/** @param {string} line */
function print(line) {
  process.stdout.write(`${line}\n`);
}
