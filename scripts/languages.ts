// npm run languages: lists what is missing or wrong in the translations, a language after the other.
// npm run languages -- de ja lists only these.
// npm run languages -- --pictures=FOLDER de takes pictures of each form in each of its states, of the sidebar and of the
// palette, after a build. Needs Chromium or Chrome.
// docs/translating.md says how to translate.
import { spawn } from "node:child_process";
import { once } from "node:events";
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
  for (const tag of asked) await list(tag);
} else {
  await takePictures(values.pictures);
}

async function list(tag: string) {
  const problems = await problemsOfLanguage(tag);
  const { name, status } = known[tag] ?? {};
  print(`${tag} (${name}, ${status}): ${problems.length === 0 ? "complete" : `${problems.length} problems`}`);
  for (const problem of problems) print(`  ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}

async function takePictures(folder: string) {
  await build();
  const environment = { CREC_PICTURES: resolve(folder), CREC_LANGUAGES: asked.join(",") };
  const mocha = join(root, "node_modules/mocha/bin/mocha.js");
  const child = spawn(process.execPath, [mocha, "test/editor/languages.test.ts"], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: "inherit",
  });
  const [code] = await once(child, "exit");
  print(`The pictures are in ${environment.CREC_PICTURES}.`);
  process.exitCode = code ?? 1;
}

function print(line: string) {
  process.stdout.write(`${line}\n`);
}
