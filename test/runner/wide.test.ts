import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import packageJson from "../../package.json" with { type: "json" };
import { select, usesBrowser, usesNodeRed, WIDE } from "../../scripts/test/selection.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const filesOf = ({ unit, browser, process, alone }: ReturnType<typeof select>) =>
  [unit, browser, process, alone].flat();
const textOf = (file: string) => readFileSync(join(root, file), "utf8");

/** What `npm test` runs in five minutes must hold the core of every promise; CI runs the wide tests as well. */
describe("the core and the wide tests", () => {
  const core = filesOf(select([]));
  const wide = filesOf(select([], { tier: "wide" }));
  const listed = WIDE.flatMap(({ files }) => files);

  it("are together all but the soak tests", () => {
    const all = ["test", "service/test"]
      .flatMap((folder) =>
        readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map(
          (name) => `${folder}/${name.replaceAll("\\", "/")}`,
        ),
      )
      .filter((file) => file.endsWith(".test.ts") && !file.startsWith("test/soak/"));
    should([...new Set([...core, ...wide])].sort()).eql(all.sort());
  });

  it("have each listed file in one group, and none that is gone", () => {
    should(listed.filter((file) => !wide.includes(file))).be.empty();
    should(new Set(listed).size).equal(listed.length);
    should(core.filter((file) => listed.includes(file))).be.empty();
  });

  it("say for each group what it tests, and where npm test has the core of that", () => {
    for (const { what, core: holders } of WIDE) {
      should(what).match(/^[A-Z].{20}/);
      // No user relies on the tools for contributors.
      if (!what.startsWith("Tools for contributors")) should(holders).not.be.empty();
      should(holders.filter((file) => !core.includes(file))).be.empty();
    }
  });

  it("have a core file that is wide as well run in both", () => {
    const both = core.filter((file) => wide.includes(file));
    should(both).containEql("test/nodes/resumed-waits.test.ts");
    for (const file of both) {
      const [text, all] = [textOf(file), /\bit\(|\bbegunTogether\(/];
      should(all.test(text)).equal(true, `${file} has only wide tests: list it in scripts/test/wide.json`);
    }
  });

  it("have each node in a real Node-RED in npm test", () => {
    const texts = core.filter((file) => usesNodeRed(file) && !usesBrowser(file)).map(textOf);
    const names = Object.keys(packageJson["node-red"].nodes);
    should(names.length).be.above(10);
    should(names.filter((name) => !texts.some((text) => hasNode(text, name)))).be.empty();
  });

  it("have each example in npm test", () => {
    const examples = readdirSync(join(root, "examples"))
      .filter((file) => file.endsWith(".json"))
      .map((file) => `test/examples/${file.replace(/json$/, "test.ts")}`)
      // The quickstart has a folder of its own.
      .map((file) => (/\/01-quickstart\./.test(file) ? "test/e2e/quickstart.test.ts" : file));
    should(examples.filter((file) => !core.includes(file))).be.empty();
  });

  it("have the walks that everything depends on in npm test", () => {
    const walks = [
      ...["test/editor/first-flow.test.ts", "test/editor/layout.test.ts", "test/editor/forms.test.ts"],
      ...["test/editor/sidebar.test.ts", "test/launcher/start.test.ts", "test/package/package.test.ts"],
      ...["test/e2e/events-in.test.ts", "test/nodes/redeploy.test.ts", "test/nodes/fleet.test.ts"],
      ...["test/proofs/hostile.test.ts", "test/proofs/verify.test.ts", "service/test/process.test.ts"],
    ];
    should(walks.filter((file) => !core.includes(file))).be.empty();
  });
});

/** Helpers that make a node, where its tests do not name its type. */
const MAKES: Readonly<Record<string, string>> = { operation: "operationNode(" };

function hasNode(text: string, name: string): boolean {
  return [`crec-${name}"`, MAKES[name] ?? ""].some((part) => part !== "" && text.includes(part));
}
