import should from "should";
import packageJson from "../../package.json" with { type: "json" };
import { FIELD_TABLES } from "../../plugins/monitor/diagnostics/field-tables.ts";
import { useEditor } from "../support/editor.ts";
import { propertiesAtDefault } from "../support/every-field.ts";
import { type KeptFlows, keptFlows, together, withSecrets } from "../support/kept-flows.ts";
import type { FlowNode } from "../support/node-red.ts";
import { withVariants } from "../support/variants.ts";

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

for (const kept of all) {
  describe(`the flows of version ${kept.version}, opened with the present nodes`, function () {
    this.timeout(300_000);
    const editor = useEditor();
    const flows = together(kept);

    before(async () => {
      await editor().openWith(withSecrets(flows));
    });

    it("are started by Node-RED without a warning", () => {
      const said = editor().nodeRed.log.match(COMPLAINTS) ?? [];
      should(said.filter((line) => !WITHOUT_SECRETS.test(line))).be.empty();
    });

    it("are known to the editor, node by node, and none is marked that was not", async () => {
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

    it("stay as they are when each form is opened and closed by Done", async () => {
      const { inPage, page } = editor();
      await editor().showOnlyForms();
      // The secrets here are variables and the addresses are not, so forms would ask for the secrets again.
      await page.route("**/crec/*/*/secrets", (route) =>
        route.fulfill({ json: { needsConfirmation: false } }),
      );
      const changed: string[] = [];
      for (const node of formsOf(kept)) {
        const { id, type } = node;
        await inPage.editAtOnce(id);
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

type Settings = Record<string, unknown>;

function howTo(what: string): string {
  return `${what}. If this version is not published yet, add values to test/support/every-field.ts if they are needed, then run "npm run flows:keep". If it is, raise the version first.`;
}
