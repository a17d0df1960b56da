import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { COMMON as COMMON_FIELDS } from "../../nodes/common/shared/common-fields.ts";
import { errorKey, labelKey, shortName } from "../../nodes/common/shared/field-rules.ts";
import type { Field, NodeDescription } from "../../nodes/common/shared/fields.ts";
import { replaceLinks } from "../../scripts/packing/links.ts";
import { EVENT_TYPES } from "../../src/protocol/index.ts";
import { registeredBy } from "../support/registered-forms.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (...path: string[]) => readFileSync(join(root, ...path), "utf8");
const json = <T>(...path: string[]) => JSON.parse(read(...path)) as T;

const { "node-red": listed } = json<{ "node-red": { nodes: Record<string, string> } }>("package.json");
const names = Object.keys(listed.nodes);
const COMMON = "common";
const tables: Record<string, NodeDescription> = {};
for (const name of names) {
  const { NODE } = (await import(`../../nodes/${name}/fields.ts`)) as { NODE: NodeDescription };
  tables[name] = NODE;
}

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

/** i18next takes the plural by itself. */
const PLURAL = "_plural";

function isUsed(named: string, { keys, beginnings }: { keys: string[]; beginnings: string[] }): boolean {
  const key = named.endsWith(PLURAL) ? named.slice(0, -PLURAL.length) : named;
  return keys.includes(key) || beginnings.some((beginning) => key.startsWith(beginning));
}

/** Keys of the sentences about fields that a node reports itself, with `wrong` of its field reader. */
function keysOfErrors(table: NodeDescription | undefined, source: string): string[] {
  if (!table) return [];
  return [...source.matchAll(/\bwrong\("(\w+)"/g)].map(([, field = ""]) => errorKey(table, field));
}

/** The parts of a built form: what is shown, what helps. */
function formOf(name: string): { html: string; template: string; help: string } {
  const html = read("dist/nodes", `${name}.html`);
  const part = (attributes: string) =>
    new RegExp(`<script type="${attributes}">\\n?([\\s\\S]*?)</script>`).exec(html)?.[1] ?? "";
  return {
    html,
    template: part(`text/html" data-template-name="crec-${name}`),
    help: part(`text/markdown" data-help-name="crec-${name}`),
  };
}

/** Keys that a node's table of fields stands for, beside those in its template. */
function keysOfTable(node: NodeDescription | undefined): string[] {
  const own = (key: string) => `${shortName(node?.type ?? "")}.${key}`;
  return Object.entries(node?.fields ?? {})
    .flatMap(([name, field]) => [
      ...errorsOf(node, name, field),
      ...("lookup" in field && field.lookup?.unknown ? [field.lookup.unknown] : []),
      ...(field.kind === "select" && field.explained
        ? field.options.filter(Boolean).map((option) => own(`explained.${name}.${option}`))
        : []),
    ])
    .concat(
      [own(node?.icon ? "palette" : "title")],
      outputsOf(node).map((output) => own(`output.${output}`)),
    );
}

function outputsOf(node: NodeDescription | undefined): readonly string[] {
  return node?.outputs && node.outputs.length > 1 ? node.outputs : [];
}

/** The sentences about values of a field that are missing or wrong. */
function errorsOf(node: NodeDescription | undefined, name: string, field: Field): string[] {
  const isConditional = field.kind === "config" && field.required && field.shown !== undefined;
  const isChecked = field.kind === "number" || ("check" in field && field.check) || isConditional;
  const isRequired = (field.kind === "text" || field.kind === "typed") && field.required;
  return node && (isChecked || isRequired) ? [errorKey(node, name)] : [];
}

/** The labels of what a person fills in, by field. What a form's code builds explains itself. */
function labelsOf(name: string, node: NodeDescription | undefined): Record<string, string | undefined> {
  const filledIn = ["text", "number", "boolean", "select", "typed", "config", "credential", "list"];
  const fields = Object.entries(node?.fields ?? {}).filter(
    ([field, { kind }]) => field !== "name" && filledIn.includes(kind),
  );
  return Object.fromEntries(fields.map(([field]) => [field, node && textAt(name, labelKey(node, field))]));
}

function textAt(name: string, key: string): string {
  const catalog = json<Record<string, unknown>>("dist/nodes/locales/en-US", `${name}.json`);
  return key
    .split(".")
    .reduce<unknown>((level, part) => (level as Record<string, unknown>)?.[part], catalog) as string;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What the editor and the palette find in the package. */
/** Links of the glossary lead elsewhere from an editor than from the file. */
const withoutLinks = (markdown: string) => replaceLinks(markdown, ({ text }) => text);

describe("the package as Node-RED finds it", () => {
  it("lists every node there is", () => {
    const folders = readdirSync(join(root, "nodes")).filter((name) => name !== "common");
    should([...names].sort()).deepEqual(folders.sort());
  });

  it("offers every type of event that this version knows", () => {
    should([...COMMON_FIELDS.types.options].sort()).deepEqual([...EVENT_TYPES].sort());
  });

  it("leave it to the reason of a refused key to say that it was refused", () => {
    for (const tag of ["en-US", "de", "ja", "zh-CN"]) {
      type Texts = { monitor: { issue: { "api-key": { refused: { what: string } } } } };
      const { monitor } = json<Texts>("plugins/monitor/locales", tag, "monitor.json");
      should(monitor.issue["api-key"].refused.what).match(/^.__connection__.[:：] ?__reason__$/);
    }
  });

  it("explains a word where a help text uses it", () => {
    should(formOf("events-in").help).match(/### Glossary[\s\S]*- \*\*cursor\*\*: /);
    should(formOf("signer").help).not.match(/- \*\*cursor\*\*: /);
  });

  it("has every common text in use", () => {
    const common = keysOf(json<object>("nodes/common/locales/en-US/common.json"));
    const templates = names.map((name) => formOf(name).template);
    const uses = usesOf([...sourcesOf("nodes"), ...templates].join("\n"), [COMMON]);
    should(common.filter((key) => !isUsed(key, uses))).be.empty();
    should(uses.keys.filter((key) => !common.includes(key))).be.empty();
  });

  it("loads no node's library before it is needed", () => {
    const files = Object.values(listed.nodes).map((path) => join(root, path));
    const program = `
      const RED = { nodes: { registerType() {} }, httpAdmin: { get() {}, post() {} }, auth: { needsPermission() {} } };
      RED.events = { on() {} };
      for (const file of ${JSON.stringify(files)}) require(file)(RED);
      const small = ["/dist/nodes/", "/dist/run-time.js", "/dist/node-version.js"];
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
        const found = registeredBy<Registered>(form().html)[`crec-${name}`];
        if (!found) throw new Error(`crec-${name} is not registered with the editor.`);
        return found;
      };

      it("is registered under its name", () => {
        should(Object.keys(registeredBy<Registered>(form().html))).deepEqual([`crec-${name}`]);
        should(read(listed.nodes[name] ?? "")).containEql(`"crec-${name}"`);
      });

      it("has a text for each key in use", () => {
        const texts = catalog();
        const source = sourcesOf(`nodes/${name}`).join("\n");
        const uses = usesOf(`${source}\n${form().template}`, [name, COMMON]);
        uses.keys.push(...keysOfTable(tables[name]), ...keysOfErrors(tables[name], source));
        should(uses.keys.length).be.above(3);
        should(uses.keys.filter((key) => !texts.includes(key))).be.empty();
        should(
          uses.beginnings.filter((beginning) => !texts.some((key) => key.startsWith(beginning))),
        ).be.empty();
        // Not the statuses of other languages, which the editor looks up by their texts.
        const own = texts.filter((key) => key.startsWith(`${name}.`));
        should(own.filter((key) => !isUsed(key, uses))).be.empty();
      });

      it("has a singular for each text with a number of things", () => {
        const counted = catalog().filter((key) => /__count__ [a-z]+s\b/.test(textAt(name, key)));
        should(counted.filter((key) => !key.endsWith(PLURAL))).be.empty();
        const alone = counted.filter((key) => !catalog().includes(key.slice(0, -PLURAL.length)));
        should(alone).be.empty();
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

      it("explains the words of its help, as the glossary does", () => {
        const [, words = ""] = withoutLinks(form().help).split("### Glossary");
        const lines = words.split("\n").filter((line) => line !== "");
        const glossary = withoutLinks(read("docs/glossary.md"));
        should(lines.filter((line) => !glossary.includes(line.slice(line.indexOf(": ") + 2)))).be.empty();
      });

      it("stores the version of its settings", () => {
        should(definition().defaults.version?.value).equal(tables[name]?.version);
      });

      it("has a label for each field, and explains it in the help", () => {
        const labels = labelsOf(name, tables[name]);
        should(Object.entries(labels).filter(([, label]) => label === undefined)).be.empty();
        const explained = [...form().help.matchAll(/\*\*(.+?)\*\*/g)].map((match) => match[1] ?? "");
        const isExplained = (label = "") => explained.includes(label) || explained.includes(capital(label));
        should(Object.values(labels).filter((label) => !isExplained(label))).be.empty();
      });

      it("has a sentence for each field that can be wrong", () => {
        const texts = catalog();
        const fields = Object.entries(tables[name]?.fields ?? {});
        const keys = fields.flatMap(([field, described]) => errorsOf(tables[name], field, described));
        should(keys.filter((key) => !texts.includes(key))).be.empty();
        const sentences = keys.map((key) => textAt(name, key));
        should(sentences.filter((sentence) => !/^[A-Z].*\.$/.test(sentence))).be.empty();
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
