import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import should from "should";
import { TEXT_TYPES } from "../../nodes/common/shared/common-fields.ts";
import { isNewer, migrate } from "../../nodes/common/shared/field-rules.ts";
import type { NodeDescription } from "../../nodes/common/shared/fields.ts";
import { type FormCode, formCode } from "../support/form-code.ts";

const MIGRATED = `
  const NODE = describeNode({
    type: "crec-test",
    version: 3,
    fields: { wait: { kind: "number", default: "1", least: 0 } },
    migrations: {
      1: ({ seconds, ...rest }) => ({ ...rest, minutes: seconds / 60 }),
      2: ({ minutes, ...rest }) => ({ ...rest, wait: String(minutes * 60) + "!" }),
    },
  });
  forms.registerType("crec-test", { category: "config", defaults: defaultsOf(NODE), node: NODE, form: {} });
`;

describe("settings that another version stored", () => {
  const NODE: NodeDescription = {
    type: "crec-test",
    version: 3,
    fields: {},
    migrations: {
      2: ({ path = "" }) => ({ path: `${path}2` }),
      1: ({ path = "" }) => ({ path: `${path}1` }),
    },
  };

  it("are migrated from their version on, one version after the other", () => {
    should(migrate(NODE, { version: 1, path: "" })).deepEqual({ path: "12", version: 3 });
    should(migrate(NODE, { version: 2, path: "" })).deepEqual({ path: "2", version: 3 });
    should(migrate(NODE, { version: -1e15, path: "" })).deepEqual({ path: "12", version: 3 });
  });

  it("stay as they are when they are current, without a version, or newer", () => {
    for (const version of [3, 4, undefined, "1"]) {
      const stored = { version, path: "" };
      should(migrate(NODE, stored)).equal(stored);
    }
    should([isNewer(NODE, { version: 4 }), isNewer(NODE, { version: 3 }), isNewer(NODE, {})]).deepEqual([
      ...[true, false, false],
    ]);
  });
});

describe("a form without a page", function () {
  this.timeout(60_000);

  it("migrates each node that comes into the editor once, as by a load", async () => {
    const { add, definition } = await formCode(MIGRATED);
    const node: Record<string, unknown> = { id: "a", type: "crec-test", version: 1, seconds: 120 };
    add(node);
    should(node).containEql({ version: 3, wait: "120!" });
    // As a paste does after it.
    definition.onadd.call(node);
    add(node);
    should(node.wait).equal("120!");
  });

  it("does not write to a node that is current, newer or of another type", async () => {
    const { add } = await formCode(MIGRATED);
    const write = () => {
      throw new Error("A node of a locked flow was written to");
    };
    const types = { "crec-test": [3, 4, undefined], inject: [1] };
    for (const [type, versions] of Object.entries(types))
      for (const version of versions)
        add(new Proxy({ id: "a", type, version }, { set: write, defineProperty: write }));
  });
});

/** The form of a node of the package. */
function real(name: string): Promise<FormCode> {
  const own = ["editor.ts", "editor/index.ts"].find((file) => existsSync(`${folderOf(name)}/${file}`));
  return formCode(`
    import { NODE } from "./nodes/${name}/fields.ts";
    ${own ? `import { form } from "./nodes/${name}/${own}";` : "const form = {};"}
    forms.registerType(NODE.type, { category: "x", defaults: defaultsOf(NODE), node: NODE, form });
  `);
}

function folderOf(name: string): string {
  return fileURLToPath(new URL(`../../nodes/${name}`, import.meta.url));
}

describe("what a form says of nodes written by hand", function () {
  this.timeout(60_000);

  it("takes the default of a choice that is missing, also for the fields that depend on it", async () => {
    should((await real("manage")).judge({}, "connection")).equal("manage.error.connection");
    should((await real("create-watcher")).judge({}, "contract")).equal("create-watcher.error.contract");
    should((await real("submit-operation")).judge({}, "calls")).equal("submit-operation.error.no-calls");
    should((await real("submit-operation")).judge({ timeout: "x" }, "timeout")).equal("common.error.seconds");
    should((await real("events-in")).judge({ unfinished: "0" }, "unfinished")).equal(
      "events-in.error.unfinished",
    );
  });

  it("says nothing of fields that are not shown", async () => {
    const { judge } = await real("manage");
    for (const name of ["channel", "wallet", "target", "newName"]) {
      should(judge({ action: "networks.list", [name]: "" }, name)).equal(true, name);
    }
    should(judge({ action: "channels.get", target: "", targetType: TEXT_TYPES[1] }, "target")).equal(
      "manage.error.target",
    );
  });
});

/** One of these is wrong for every field that has a check of its own. */
const WRONG = ["", "no such thing!"];
const SENTENCE = /^[A-Z].*[.]$/s;
/** Whether a filter applies hangs on the types of events that are ticked. */
const JUDGED_TOGETHER = /^search-events\./;

/** The browser shows in test/editor/each-form.test.ts what is said here. */
describe("each text field of each form", function () {
  this.timeout(60_000);
  const refused: string[] = [];
  const half: string[] = [];
  let texts = 0;
  let checks = 0;

  before(async () => {
    const names = readdirSync(folderOf(""), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && existsSync(`${folderOf(entry.name)}/fields.ts`))
      .map((entry) => entry.name);
    const common = textsOf("common", "common");
    for (const name of names) {
      const { NODE } = (await import(`../../nodes/${name}/fields.ts`)) as { NODE: NodeDescription };
      const { definition, judge } = await real(name);
      const catalog = { ...common, ...textsOf(name, name) };
      for (const [field, { kind }] of Object.entries(NODE.fields)) {
        const { validate } = definition.defaults[field] ?? {};
        if (validate === undefined || !["text", "number", "typed"].includes(kind)) continue;
        const node = shownIn(NODE, field);
        const judged = (value: string) => judge({ ...node, [field]: value }, field);
        texts += 1;
        if (judged("dev-${NAME}") !== "common.error.variable") half.push(`${name}.${field}`);
        if (judged("${NAME}") !== true) half.push(`${name}.${field} alone`);
        // Every text has the check for variables.
        if (validate.name === "variableCheck" || JUDGED_TOGETHER.test(`${name}.${field}`)) continue;
        checks += 1;
        const said = WRONG.map(judged).find((one) => one !== true);
        if (!SENTENCE.test(catalog[String(said)] ?? "")) refused.push(`${name}.${field}: ${said}`);
      }
    }
  });

  it("is refused with a sentence where its value is wrong", () => {
    should(refused).be.empty();
    should(checks).be.above(40);
  });

  it("may be a variable, but not hold one beside other text", () => {
    should(half).be.empty();
    should(texts).be.above(60);
  });
});

/** The settings of a node as it is dropped, with the choices for which it shows a field. */
function shownIn({ fields }: NodeDescription, name: string): Record<string, unknown> {
  const field = fields[name];
  const condition = (field && "shown" in field && field.shown) || {};
  const chosen = Object.entries(condition).map(([asked, values]) => [
    asked,
    Array.isArray(values) ? values[0] : values,
  ]);
  return Object.fromEntries(chosen);
}

/** The English texts of a catalog, by their keys. */
function textsOf(folder: string, name: string): Record<string, string> {
  const file = `${folderOf(folder)}/locales/en-US/${name}.json`;
  const texts: Record<string, string> = {};
  const add = (part: object, prefix: string): void => {
    for (const [key, value] of Object.entries(part)) {
      if (typeof value === "string") texts[`${prefix}${key}`] = value;
      else add(value as object, `${prefix}${key}.`);
    }
  };
  add(JSON.parse(readFileSync(file, "utf8")) as object, "");
  return texts;
}
