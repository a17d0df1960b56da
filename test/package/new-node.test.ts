import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import should from "should";
import { SourcesCopy } from "../launcher/sources-copy.ts";
import { registeredBy } from "../support/registered-forms.ts";
import { inVariants } from "../support/variants.ts";

const run = promisify(execFile);
type Failure = { stdout: string; stderr: string };
type NewNode = typeof import("../../scripts/new-node.ts");
type Selection = typeof import("../../scripts/test/selection.mjs");

/** What the checks of the copy read beside the sources. */
const NEEDED = [
  ...["test", "docs", "bench", "README.md", "CONTRIBUTING.md", "CHANGELOG.md"],
  ...["SECURITY.md", "CODE_OF_CONDUCT.md", "SUPPORT.md", ".github", "client", "containers", "site/lib"],
  ...["biome.json", ".gitignore", ".mocharc.json", "tsconfig.json", "tsconfig.types.json"],
];
/** Made by the script that follows. */
const GENERATED = /^docs\/nodes\//;
/** They look at every node. Those in a browser would take too long here. */
const TESTS = [
  "test/nodes/catalogs.test.ts",
  "test/docs/pages.test.ts",
  "test/docs/links.test.ts",
  "test/examples/all.test.ts",
  "test/monitor/diagnostics/shown-fields.test.ts",
];

/** A mocha that this test starts is no worker of the one that runs it: it ends what its files share. */
const { MOCHA_WORKER_ID: _worker, ...OWN_ENVIRONMENT } = process.env;

describe("npm run new-node", function () {
  this.timeout(180_000);

  let sources: SourcesCopy;
  before(async () => {
    sources = await SourcesCopy.make(NEEDED);
  });
  after(() => sources?.remove());

  /** Runs a program of the copy. An error has all that it printed. */
  const node = (file: string, ...args: string[]) =>
    run(process.execPath, [file, ...args], { cwd: sources.folder, env: OWN_ENVIRONMENT }).catch(
      ({ stdout, stderr }: Failure) => {
        throw new Error(`${file} failed:\n${stdout}${stderr}`);
      },
    );

  const fromCopy = (file: string) => import(pathToFileURL(join(sources.folder, file)).href);

  it("refuses a name that is missing, wrong or taken, and writes nothing", async () => {
    const { newNode } = (await fromCopy("scripts/new-node.ts")) as NewNode;
    const before = await filesOf(sources.folder);
    for (const name of ["", "Gas", "gas price", "gas--price", "../gas", "3-gas", "common", "ack"])
      await should(newNode(name)).be.rejectedWith(/Give the node a name|cannot be called|There is a node/);
    should([...(await filesOf(sources.folder)).keys()]).eql([...before.keys()]);
  });

  inVariants(() => {
    it("makes a node in at most nine files, which passes all checks", async () => {
      const before = await filesOf(sources.folder);
      const { stdout } = await node("scripts/new-node.ts", "gas-price");
      const changed = [...(await filesOf(sources.folder))]
        .filter(([file, text]) => before.get(file) !== text)
        .map(([file]) => file);
      should(changed.length).be.within(5, 9);
      for (const file of changed) should(stdout).containEql(`  ${file}\n`);

      await node("scripts/docs.ts");
      const added = [...(await filesOf(sources.folder)).keys()].filter((file) => !before.has(file));
      should(added.filter((file) => !changed.includes(file) && !GENERATED.test(file))).be.empty();

      const code = changed.filter((file) => /\.(?:ts|json)$/.test(file));
      // All other files compile as they did.
      const files = code.filter((file) => file.endsWith(".ts"));
      const project = { extends: "./tsconfig.json", files, include: [] };
      await writeFile(join(sources.folder, "tsconfig.new.json"), JSON.stringify(project));
      await Promise.all([
        node("node_modules/@biomejs/biome/bin/biome", "check", "--error-on-warnings", ...code),
        node("scripts/check-imports.ts"),
        node("node_modules/typescript/bin/tsc", "-p", "tsconfig.new.json", "--singleThreaded"),
        node("scripts/build.ts"),
      ]);
      const own = changed.filter((file) => file.endsWith(".test.ts"));
      should(own).have.length(1);
      const { select } = (await fromCopy("scripts/test/selection.mjs")) as Selection;
      should(select([join(sources.folder, "nodes/gas-price")]).process).eql(own);
      await node("node_modules/mocha/bin/mocha.js", ...TESTS, ...own);

      const html = await readFile(join(sources.folder, "dist/nodes/gas-price.html"), "utf8");
      const shared = pathToFileURL(`${sources.folder}/resources/`);
      const registered = registeredBy<{ category: string; defaults: object }>(html, shared)["crec-gas-price"];
      should(registered?.category).equal("CRE Connect");
      should(Object.keys(registered?.defaults ?? {})).containDeep(["name", "connection", "search"]);
    });
  });
});

/** What a person writes in the copy: files, with their text. */
async function filesOf(folder: string): Promise<Map<string, string>> {
  const files = new Map([["package.json", await readFile(join(folder, "package.json"), "utf8")]]);
  for (const part of ["nodes", "plugins", "icons", "examples", "test", "docs"]) {
    const entries = await readdir(join(folder, part), { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((one) => one.isFile())) {
      const path = join(entry.parentPath, entry.name);
      files.set(relative(folder, path), await readFile(path, "utf8"));
    }
  }
  return files;
}
