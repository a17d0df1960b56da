// npm run languages: lists what is missing or wrong in the translations, a language after the other, which no tool knows of
// forms and helps. npm run languages -- de ja lists only these.
// npm run languages -- --pictures=FOLDER de takes pictures of each form in each of its states, of the sidebar and of the
// palette, after a build. Needs Chromium or Chrome.
// docs/translating.md says how to translate.
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build } from "./build.ts";
import { problemsOfLanguage } from "./lib/languages/check.ts";
import { languages } from "./lib/locales.ts";
import { root } from "./lib/paths.mjs";

const known = await languages();
const { values, positionals } = parseArgs({
  options: { pictures: { type: "string" } },
  allowPositionals: true,
});
const asked = positionals.length > 0 ? positionals : Object.keys(known);
const unknown = asked.find((tag) => !(tag in known));
if (unknown !== undefined) {
  print(`There is no language ${unknown}. Choose from ${Object.keys(known).join(", ")}.`);
  process.exitCode = 1;
} else if (values.pictures === undefined) {
  for (const tag of asked) {
    const problems = await problemsOfLanguage(tag);
    const { name, status } = known[tag] ?? {};
    const found = problems.length === 0 ? "complete" : `${problems.length} problems`;
    print([`${tag} (${name}, ${status}): ${found}`, ...problems].join("\n  "));
    if (problems.length > 0) process.exitCode = 1;
  }
} else {
  await build();
  const env = { ...process.env, CREC_PICTURES: resolve(values.pictures), CREC_LANGUAGES: asked.join(",") };
  const mocha = [join(root, "node_modules/mocha/bin/mocha.js"), "test/editor/languages.test.ts"];
  const { status } = spawnSync(process.execPath, mocha, { cwd: root, env, stdio: "inherit" });
  print(`The pictures are in ${env.CREC_PICTURES}.`);
  process.exitCode = status ?? 1;
}

function print(line: string) {
  process.stdout.write(`${line}\n`);
}
