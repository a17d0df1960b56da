import should from "should";
import { defaultsOf } from "../../nodes/common/build/registration.ts";
import { migrate } from "../../nodes/common/shared/field-rules.ts";
import type { NodeDescription } from "../../nodes/common/shared/fields.ts";
import { isReference } from "../../nodes/common/shared/variables.ts";
import packageJson from "../../package.json" with { type: "json" };
import { FIELD_TABLES } from "../../plugins/monitor/diagnostics/field-tables.ts";
import { useEditor } from "../support/editor.ts";
import { propertiesAtDefault } from "../support/every-field.ts";
import { type KeptFlows, keptFlows, together, withSecrets } from "../support/kept-flows.ts";
import type { FlowNode } from "../support/node-red.ts";
import { withVariants } from "../support/variants.ts";
import { itWide } from "../support/wide.ts";

const EVERY_FIELD = "every-field.json";
/** What Node-RED and the nodes log of a flow that they do not understand. */
const COMPLAINTS = /^.*(?:\[(?:warn|error)\]|missing types|Unhandled).*$/gim;
/** An export has no secrets. */
const WITHOUT_SECRETS = /Encrypted credentials not found|The variable KEPT_SECRET is not set/;

const all = keptFlows();

describe("the flows that are kept", () => {
  it("have those of this version, with every field of each node", () => {
    const own = all.find(({ version }) => version === packageJson.version);
    should(own?.files.has(EVERY_FIELD)).equal(true, howTo("the flows of this version are not kept yet"));
    const flows = own?.files.get(EVERY_FIELD) ?? [];
    const missing = [...FIELD_TABLES.values()].flatMap((node) =>
      propertiesAtDefault(flows, node).map((name) => `${node.type}.${name}`),
    );
    should(missing).deepEqual([], howTo("these fields are new, or have no other value than a new node"));
  });
});

// The form keeps a choice that it does not have, so that nothing of it shows there.
for (const kept of all)
  it(`the flows of version ${kept.version} have only fields and choices that the nodes still have`, () => {
    const lost = ours(together(kept)).flatMap((node) => {
      const table = FIELD_TABLES.get(node.type);
      return table ? lostOf(table, migrate(table, node)).map((what) => `${node.type} ${what}`) : [node.type];
    });
    should([...new Set(lost)]).be.empty();
  });

for (const kept of all) {
  describe(`the flows of version ${kept.version}, opened with the present nodes`, function () {
    this.timeout(300_000);
    const editor = useEditor();
    const flows = together(kept);

    before(async () => {
      await editor().openWith(withSecrets(flows));
    });

    itWide("are started by Node-RED without a warning", () => {
      const said = editor().nodeRed.log.match(COMPLAINTS) ?? [];
      should(said.filter((line) => !WITHOUT_SECRETS.test(line))).be.empty();
    });

    itWide("are known to the editor, node by node, and none is marked that was not", async () => {
      const nodes = (await editor().inPage.nodes()).filter(({ id }) => flows.some((node) => node.id === id));
      should(nodes.filter(({ type }) => type === "unknown")).be.empty();
      should(nodes.filter(({ type }) => type.startsWith("crec-")).length).equal(ours(flows).length);
      const newly = nodes.filter(({ id, type, valid }) => ours([{ id, type }]).length > 0 && !valid);
      should(
        newly
          .filter(({ id }) => !kept.marked.has(id))
          .map(({ type, validationErrors }) => `${type}: ${validationErrors.join(" ")}`),
      ).be.empty();
    });

    itWide("stay as they are when each form is opened and closed by Done", async () => {
      const { inPage, page } = editor();
      await editor().showOnlyForms();
      // The secrets here are variables and the addresses are not, so forms would ask for the secrets again.
      await page.route("**/crec/*/*/secrets", (route) =>
        route.fulfill({ json: { needsConfirmation: false } }),
      );
      const changed: string[] = [];
      for (const node of formsOf(kept)) {
        const { id, type } = node;
        await editor().form(id);
        await inPage.finish();
        const [now = {}] = JSON.parse(await inPage.exported([id])) as Settings[];
        const { values } = await inPage.defaults(type);
        const { added, others } = changesOf(node, now, values);
        if (others.length > 0) changed.push(`${type} ${id}: ${others.join(", ")}`);
        else if (added.length === 0 && (await inPage.changed()).includes(id))
          changed.push(`${type} ${id} is to be deployed again`);
      }
      should(changed).be.empty();
    });
  });
}

/** What a node has and its description does not. */
function lostOf(table: NodeDescription, node: FlowNode): string[] {
  const defaults = defaultsOf(table);
  const fields = Object.keys(node).filter((name) => !OF_A_NODE.has(name) && !Object.hasOwn(defaults, name));
  const choices = Object.entries(table.fields).flatMap(([name, field]) => {
    const isChoice = field.kind === "list" || (field.kind === "select" && !field.filledLater);
    if (isChoice) return [{ name, known: field.options }];
    return field.kind === "typed" && field.types ? [{ name: `${name}Type`, known: field.types }] : [];
  });
  const unknown = choices.flatMap(({ name, known }) =>
    [node[name] ?? []]
      .flat()
      .map(String)
      .filter((value) => !isReference(value) && !known.includes(value))
      .map((value) => `${name} "${value}"`),
  );
  return [...fields, ...unknown];
}

/** The nodes of this package. */
function ours(nodes: readonly FlowNode[]): FlowNode[] {
  return nodes.filter(({ type }) => type.startsWith("crec-"));
}

/** A form takes a fifth of a second: those of the examples are variants. */
function formsOf(kept: KeptFlows): FlowNode[] {
  return ours(withVariants ? together(kept) : (kept.files.get(EVERY_FIELD) ?? []));
}

/**
 * What differs between a node as it was exported, and now. `added`: a field that the node did not have, with the default
 * of a new node. Older versions did not have every field.
 */
function changesOf(old: Settings, now: Settings, defaults: Settings) {
  const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (name) => !OF_THE_FLOW.has(name),
  );
  const differing = names.filter((name) => !same(old[name], now[name]));
  const isAdded = (name: string) =>
    old[name] === undefined && (same(now[name], defaults[name]) || isEmptyNumber(old.type, name, now[name]));
  return {
    added: differing.filter(isAdded),
    others: differing
      .filter((name) => !isAdded(name))
      .map((name) => `${name} ${JSON.stringify(old[name])} → ${JSON.stringify(now[name])}`),
  };
}

/** An empty number is the default, both where it is stored and where nothing is. */
function isEmptyNumber(type: unknown, name: string, value: unknown): boolean {
  const field = FIELD_TABLES.get(String(type))?.fields[name];
  return value === "" && field?.kind === "number" && !field.optional;
}

/** What an export of one node leaves out, or what a migration raises. */
const OF_THE_FLOW: ReadonlySet<string> = new Set(["id", "z", "g", "x", "y", "wires", "version"]);

/** What Node-RED stores of any node. */
const OF_A_NODE: ReadonlySet<string> = new Set([
  ...OF_THE_FLOW,
  "type",
  "d",
  "l",
  "info",
  "inputLabels",
  "outputLabels",
  "icon",
]);

type Settings = Record<string, unknown>;

function howTo(what: string): string {
  return `${what}. If this version is not published yet, add values to test/support/every-field.ts if they are needed, then run "npm run flows:keep". If it is, raise the version first.`;
}
