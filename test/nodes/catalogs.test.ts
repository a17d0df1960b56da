import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";
import should from "should";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (...path: string[]) => readFileSync(join(root, ...path), "utf8");
const json = <T>(...path: string[]) => JSON.parse(read(...path)) as T;

const { "node-red": listed } = json<{ "node-red": { nodes: Record<string, string> } }>("package.json");
const names = Object.keys(listed.nodes);
const COMMON = "common";

/** What is registered with the editor, as far as it is looked at here. */
type Registered = {
  category: string;
  icon?: string;
  color?: string;
  inputs?: number;
  outputs?: number;
  defaults: Record<string, { value: unknown; type?: string }>;
  credentials?: Record<string, unknown>;
  paletteLabel?: unknown;
  outputLabels?: (this: unknown, index: number) => string;
  label: (this: unknown) => string;
};

/** Keys of a catalog, with dots between the levels. */
function keysOf(catalog: object, prefix = ""): string[] {
  return Object.entries(catalog).flatMap(([key, value]) =>
    typeof value === "object" ? keysOf(value as object, `${prefix}${key}.`) : `${prefix}${key}`,
  );
}

function sourcesOf(folder: string): string[] {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.(ts|html)$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
}

/** Keys of these catalogs that a source names, and beginnings of keys whose rest it works out. */
function usesOf(source: string, namespaces: readonly string[]): { keys: string[]; beginnings: string[] } {
  const namespace = `(?:${namespaces.join("|")})`;
  const find = (pattern: string) =>
    [...source.matchAll(new RegExp(pattern, "g"))].map((match) => match[1] ?? "");
  return {
    // In quotes, in data-i18n, and there behind the attribute it is for: [placeholder]key.
    keys: find(`["'\\]](${namespace}\\.[\\w.-]+)["';]`).filter((key) => !key.endsWith(".svg")),
    beginnings: find(`\`(${namespace}\\.[\\w.-]*)\\$\\{`),
  };
}

function isUsed(key: string, { keys, beginnings }: { keys: string[]; beginnings: string[] }): boolean {
  return keys.includes(key) || beginnings.some((beginning) => key.startsWith(beginning));
}

/** The parts of a built form: what is shown, what helps, what runs. */
function formOf(name: string): { html: string; template: string; help: string; script: string } {
  const html = read("dist/nodes", `${name}.html`);
  const part = (attributes: string) =>
    new RegExp(`<script type="${attributes}">\\n?([\\s\\S]*?)</script>`).exec(html)?.[1] ?? "";
  return {
    html,
    template: part(`text/html" data-template-name="crec-${name}`),
    help: part(`text/markdown" data-help-name="crec-${name}`),
    script: part("text/javascript"),
  };
}

function registeredBy(script: string): Record<string, Registered> {
  const found: Record<string, Registered> = {};
  const nodes = {
    registerType: (type: string, definition: Registered) => {
      found[type] = definition;
    },
  };
  runInNewContext(script, { RED: { nodes } });
  return found;
}

/** What the editor and the palette find in the package. */
describe("the package as Node-RED finds it", () => {
  it("lists every node there is", () => {
    const folders = readdirSync(join(root, "nodes")).filter((name) => name !== "lib");
    should([...names].sort()).deepEqual(folders.sort());
  });

  it("has every common text in use", () => {
    const common = keysOf(json<object>("nodes/lib/locales/en-US/common.json"));
    const uses = usesOf(sourcesOf("nodes").join("\n"), [COMMON]);
    should(common.filter((key) => !isUsed(key, uses))).be.empty();
    should(uses.keys.filter((key) => !common.includes(key))).be.empty();
  });

  it("loads no node's library before it is needed", () => {
    const files = Object.values(listed.nodes).map((path) => join(root, path));
    const program = `
      const RED = { nodes: { registerType() {} }, httpAdmin: { get() {}, post() {} }, auth: { needsPermission() {} } };
      for (const file of ${JSON.stringify(files)}) require(file)(RED);
      const small = ["/dist/nodes/", "/dist/node-version.js"];
      const big = Object.keys(require.cache).filter((file) => !small.some((part) => file.includes(part)));
      process.stdout.write(JSON.stringify(big));`;
    const { stdout, stderr } = spawnSync(process.execPath, ["-e", program], { encoding: "utf8" });
    should(stderr).equal("");
    should(JSON.parse(stdout)).be.empty();
  });

  for (const name of names) {
    describe(`crec-${name}`, () => {
      const catalog = () => keysOf(json<object>("dist/nodes/locales/en-US", `${name}.json`));
      const form = () => formOf(name);
      const definition = () => {
        const found = registeredBy(form().script)[`crec-${name}`];
        if (!found) throw new Error(`crec-${name} is not registered with the editor.`);
        return found;
      };

      it("is registered under its name", () => {
        should(Object.keys(registeredBy(form().script))).deepEqual([`crec-${name}`]);
        should(read(listed.nodes[name] ?? "")).containEql(`"crec-${name}"`);
      });

      it("has a text for each key in use", () => {
        const texts = catalog();
        const uses = usesOf(sourcesOf(`nodes/${name}`).join("\n"), [name, COMMON]);
        should(uses.keys.length).be.above(3);
        should(uses.keys.filter((key) => !texts.includes(key))).be.empty();
        should(
          uses.beginnings.filter((beginning) => !texts.some((key) => key.startsWith(beginning))),
        ).be.empty();
        const own = texts.filter((key) => !key.startsWith(`${COMMON}.`));
        should(own.filter((key) => !isUsed(key, uses))).be.empty();
      });

      it("marks nothing in its form that has no text", () => {
        const texts = catalog();
        const marks = [...form().template.matchAll(/data-i18n="([^"]*)"/g)].flatMap((match) =>
          (match[1] ?? "").split(";").map((mark) => mark.replace(/^\[\w+\]/, "")),
        );
        should(marks).not.be.empty();
        should(marks.filter((key) => !texts.includes(key))).be.empty();
      });

      it("has help, whose first paragraph is the one line that the palette shows", () => {
        const [first = "", second] = form().help.trimStart().split("\n");
        should(first).match(/^[A-Z].{20,}[.]$/);
        should(second).equal("");
      });

      it("has a field for each property, and a property for each field", () => {
        const { defaults, credentials = {}, category } = definition();
        const prefix = category === "config" ? "node-config-input" : "node-input";
        const fields = [...form().template.matchAll(new RegExp(`id="${prefix}-([\\w]+)"`, "g"))].map(
          (match) => match[1] ?? "",
        );
        const properties = [...Object.keys(defaults), ...Object.keys(credentials)];
        should(fields.filter((field) => !properties.includes(field))).be.empty();
        // Lists and objects have a part of the form that is built by code.
        const built = (property: string) =>
          typeof defaults[property]?.value === "object" || /^contract\d+$/.test(property);
        const simple = properties.filter((property) => !built(property));
        should(simple.filter((property) => !fields.includes(property))).be.empty();
        const labels = [...form().template.matchAll(/<label for="([^"]+)"/g)].map((match) => match[1] ?? "");
        should(labels.filter((id) => !form().template.includes(`id="${id}"`))).be.empty();
      });

      it("takes no name of a property from the editor", () => {
        const taken =
          /^(type|users|valid|changed|dirty|selected|moved|wires|inputLabels|outputLabels|validationErrors|.)$/;
        should(Object.keys(definition().defaults).filter((property) => taken.test(property))).be.empty();
      });

      it("refers to config nodes that are there", () => {
        const types = Object.values(definition().defaults).flatMap(({ type }) => (type ? [type] : []));
        const known = [...names.map((one) => `crec-${one}`), "tls-config", "http proxy"];
        should(types.filter((type) => !known.includes(type))).be.empty();
      });

      it("has what the palette and the workspace show", () => {
        const { category, icon, color, inputs, outputs = 0, paletteLabel, outputLabels } = definition();
        if (category === "config") return;
        should(category).equal("CRE Connect");
        should(color).match(/^#/);
        should(icon).be.a.String();
        should(existsSync(join(root, "dist/nodes/icons", icon ?? ""))).be.true();
        should(inputs).be.within(0, 1);
        should(paletteLabel).be.a.Function();
        // One way out needs no label.
        if (outputs < 2) return;
        const texts = catalog();
        const labels = [...Array(outputs).keys()].map((index) =>
          outputLabels?.call({ _: (key: string) => key }, index),
        );
        should(labels.filter((key) => !texts.includes(key ?? ""))).be.empty();
        should(new Set(labels).size).equal(outputs);
      });
    });
  }
});
