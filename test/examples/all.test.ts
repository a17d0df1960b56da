import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import type { FlowNode } from "../support/node-red.ts";
import { registeredBy } from "../support/registered-forms.ts";
import { flowEnvironment } from "../support/service.ts";

type Defaults = Record<string, { value?: unknown; type?: string; required?: boolean }>;
type Tab = FlowNode & { label: string; info: string; env?: Array<{ name: string }> };

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (...path: string[]) => readFileSync(join(root, ...path), "utf8");
const names = readdirSync(join(root, "examples"))
  .filter((file) => file.endsWith(".json"))
  .map((file) => file.replace(/\.json$/, ""))
  .sort();
const examples = new Map(
  names.map((name) => [name, JSON.parse(read("examples", `${name}.json`)) as FlowNode[]]),
);
const QUICKSTART = "01-quickstart";
const everyNode = [...examples.values()].flat();
/** Palettes that an example says to install, and the types of their nodes. */
const INSTALLED: Readonly<Record<string, readonly string[]>> = {
  "22-e-mail-outlet": ["e-mail"],
  "24-alert-wall": [
    ...["ui-base", "ui-theme", "ui-page", "ui-group"],
    ...["ui-table", "ui-template", "ui-chart"],
  ],
};
/** Secrets and addresses of outlets: npm start sets none of them. */
const SET_BY_PEOPLE = [
  ...["SLACK_WEBHOOK_URL", "DISCORD_WEBHOOK_URL", "TELEGRAM_BOT_TOKEN", "TELEGRAM_CHAT_ID"],
  ...["PAGERDUTY_ROUTING_KEY", "ALERT_WEBHOOK_URL", "ALERT_MAIL_TO"],
  ...["SMTP_HOST", "SMTP_PORT", "SMTP_USER", "SMTP_PASSWORD"],
];
const CREDENTIALS: Readonly<Record<string, Record<string, string>>> = {
  "crec-signer": { privateKey: "${CREC_SIGNER_KEY}" },
  "crec-connection": { apiKey: "${CREC_API_KEY}" },
  "e-mail": { userid: "${SMTP_USER}", password: "${SMTP_PASSWORD}" },
};
const isSubflow = ({ type }: FlowNode) => type === "subflow";
/** What several examples embed: the subflow notify. */
const subflows = new Map(everyNode.filter(isSubflow).map((node) => [node.id, node]));
const isInSubflow = ({ z }: FlowNode) => subflows.has(String(z));

const { "node-red": ours } = JSON.parse(read("package.json")) as {
  "node-red": { nodes: Record<string, string> };
};
const ourTypes = Object.keys(ours.nodes).map((name) => `crec-${name}`);

/** What a node's form registers with the editor. */
const forms = new Map(Object.keys(ours.nodes).map((name) => [`crec-${name}`, defaultsOf(name)]));

function defaultsOf(name: string): Defaults {
  const found = registeredBy<{ defaults: Defaults }>(read("dist/nodes", `${name}.html`));
  return found[`crec-${name}`]?.defaults ?? {};
}

/** The types of a plain Node-RED. */
function coreTypes(): Set<string> {
  const folder = "node_modules/@node-red/nodes/core";
  const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  const registered = files
    .filter((file) => file.endsWith(".html"))
    .flatMap((file) => [...read(folder, file).matchAll(/registerType\(\s*['"]([^'"]+)['"]/g)]);
  return new Set(["tab", ...registered.map((match) => match[1] ?? "")]);
}

/** The names in `${NAME}`, `$env("NAME")` and in fields that are set to an environment variable. */
function variablesIn(nodes: readonly FlowNode[]): string[] {
  // In a function, ${name} is JavaScript.
  const settings = nodes.filter(({ type }) => type !== "tab").map(({ func, ...others }) => others);
  const text = JSON.stringify(settings);
  const patterns = [
    /\$\{(\w+)\}/g,
    /\$env\(\\"(\w+)\\"\)/g,
    /"value":"(\w+)","type":"env"/g,
    /"v":"(\w+)","vt":"env"/g,
    /"filename":"(\w+)","filenameType":"env"/g,
    /"name":"\w+","type":"env","value":"(\w+)"/g,
  ];
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ""));
}

describe("the examples", () => {
  it("are numbered without a gap, the first alert before the quickstart, and each has a test that runs it", () => {
    // The import dialog lists them by name.
    should(names.slice(0, 2)).deepEqual(["00-first-alert", QUICKSTART]);
    should(names.map((name) => name.slice(0, 3))).deepEqual(
      names.map((_, index) => `${String(index).padStart(2, "0")}-`),
    );
    const tests = names.filter((name) => name !== QUICKSTART).map((name) => `test/examples/${name}.test.ts`);
    // The quickstart is what npm start opens.
    const missing = ["test/e2e/quickstart.test.ts", ...tests].filter((file) => !existsSync(join(root, file)));
    should(missing).be.empty();
  });

  it("show each of our nodes at least once", () => {
    const shown = new Set(everyNode.map(({ type }) => type));
    should(ourTypes.filter((type) => !shown.has(type))).be.empty();
  });

  it("can be imported together: what two of them have is the same config node", () => {
    should(everyNode.map(({ id }) => id).filter((id) => !/^[0-9a-f]{16}$/.test(id))).be.empty();
    const byId = new Map<string, FlowNode>();
    for (const node of everyNode) {
      const known = byId.get(node.id);
      if (known) should(node).deepEqual(known);
      if (known && !isInSubflow(node)) should(node).not.have.property("z");
      byId.set(node.id, node);
    }
    const all = [...byId.values()];
    const own = (type: string, property: string) =>
      all.filter((node) => node.type === type).map((node) => String(node[property]));
    const unique = {
      labels: all.filter(({ type }) => type === "tab").map((tab) => (tab as Tab).label),
      connections: own("crec-connection", "baseUrl"),
      contracts: own("crec-contract", "address"),
      signers: all.filter(({ type }) => type === "crec-signer").map(({ credentials }) => String(credentials)),
      channels: own("crec-channel", "channel"),
      wallets: own("crec-wallet", "wallet"),
      consumers: own("crec-events-in", "consumer"),
    };
    for (const [what, values] of Object.entries(unique)) {
      const twice = values.filter((value, index) => values.indexOf(value) !== index);
      should(twice).deepEqual([], what);
    }
  });

  it("share what the quickstart has: the import reuses config nodes that exist", () => {
    // A new id replaces that of a node which Node-RED does not find, so the next import would not find it either.
    const known = new Set(examples.get(QUICKSTART)?.map(({ id }) => id));
    const uses = new Map<string, string[]>();
    for (const [name, nodes] of examples) {
      // A subflow is found by its content.
      const sought = nodes.filter((node) => !isSubflow(node) && !isInSubflow(node));
      for (const { id } of sought) uses.set(id, [...(uses.get(id) ?? []), name]);
    }
    const shared = [...uses].filter(([, names]) => names.length > 1);
    should(shared).not.be.empty();
    // Other contracts are copied with each import. The copies agree: all of them take the address from the environment.
    const isCopied = (node: FlowNode) =>
      node.type === "crec-contract" && /^\$\{\w+\}$/.test(String(node.address));
    const copied = new Set(everyNode.filter(isCopied).map(({ id }) => id));
    should(shared.filter(([id]) => !known.has(id) && !copied.has(id))).be.empty();
  });

  it("need only our nodes and a plain Node-RED", () => {
    const embedded = [...subflows.keys()].map((id) => `subflow:${id}`);
    const known = new Set([...coreTypes(), ...ourTypes, "subflow", ...embedded]);
    should(known.size).be.above(40);
    for (const [name, nodes] of examples) {
      const types = new Set(nodes.map(({ type }) => type));
      const others = [...types].filter((type) => !known.has(type));
      should(others).deepEqual(INSTALLED[name] ?? [], name);
    }
  });

  for (const [name, nodes] of examples) {
    describe(name, () => {
      const [tab] = nodes as [Tab];
      const drawn = nodes.filter((node) => node.z !== undefined && !isInSubflow(node));
      const embeds = nodes.filter(isSubflow) as Array<FlowNode & { env: Array<{ name: string }> }>;

      it("is one tab with a description and a catch", () => {
        should(nodes.filter(({ type }) => type === "tab")).have.length(1);
        should(tab.label).not.be.empty();
        should(tab.info.length).be.above(80);
        should(drawn.every(({ z }) => z === tab.id)).be.true();
        should(drawn.some(({ type }) => type === "catch")).be.true();
        const comments = drawn.filter(({ type }) => type === "comment");
        should(comments.some(({ name }) => /^1\. Press/.test(name ?? ""))).be.true();
        // A number is a step, and a step is a button to press.
        const steps = comments.map(({ name }) => String(name)).filter((name) => /^\d/.test(name));
        should(steps.map((name) => name.slice(0, 8))).deepEqual(
          steps.map((_, index) => `${index + 1}. Press`),
        );
      });

      it("contains no secret, and takes keys from the environment", () => {
        const credentials = nodes.flatMap(({ type, credentials }) =>
          credentials ? [{ type, credentials }] : [],
        );
        for (const { type, credentials: given } of credentials) should(given).deepEqual(CREDENTIALS[type]);
        const keepers = nodes.filter(({ type }) => type in CREDENTIALS);
        should(credentials).have.length(keepers.length);
      });

      it("takes from its environment only what npm start sets or the tab itself", () => {
        const set = Object.keys(
          flowEnvironment({ valid_signers: [], contracts: {} } as unknown as Parameters<
            typeof flowEnvironment
          >[0]),
        );
        const known = [
          ...set,
          "CREC_SIGNER_KEY",
          ...SET_BY_PEOPLE,
          ...(tab.env ?? []).map((one) => one.name),
        ];
        const ofSubflow = embeds.flatMap(({ env }) => env.map(({ name }) => name));
        const used = [...new Set(variablesIn(nodes))].filter((name) => !ofSubflow.includes(name));
        const isConnected = nodes.some(({ type }) => type === "crec-connection");
        should(used.includes("CREC_API_KEY")).equal(isConnected);
        should(used.filter((variable) => !known.includes(variable))).be.empty();
        // The description lists what to set elsewhere.
        should(used.filter((variable) => !tab.info.includes(`\`${variable}\``))).be.empty();
      });

      it("sets only properties of the forms, and all required ones", () => {
        const common = ["id", "type", "z", "x", "y", "wires", "credentials"];
        for (const node of nodes) {
          const defaults = forms.get(node.type);
          if (!defaults) continue;
          const unknown = Object.keys(node).filter((key) => !common.includes(key) && !(key in defaults));
          should(unknown).deepEqual([], `${node.type} ${node.name}`);
          const missing = Object.entries(defaults)
            .filter(([key, { required }]) => required && (node[key] ?? "") === "")
            .map(([key]) => key);
          should(missing).deepEqual([], `${node.type} ${node.name}`);
        }
      });

      it("has no broken wire, link or config node", () => {
        const typeOf = new Map(nodes.map(({ id, type }) => [id, type]));
        for (const node of nodes) {
          const {
            wires = [],
            links = [],
            scope,
          } = node as { wires?: string[][]; links?: string[]; scope?: string[] };
          const targets = [...wires.flat(), ...links, ...(Array.isArray(scope) ? scope : [])];
          should(targets.filter((id) => !typeOf.has(id))).deepEqual([], `${node.type} ${node.name}`);
          for (const [key, { type }] of Object.entries(forms.get(node.type) ?? {})) {
            const chosen = node[key];
            if (type && chosen) should(typeOf.get(String(chosen))).equal(type, `${node.type} ${key}`);
          }
        }
        // Each config node is used.
        const text = JSON.stringify(nodes);
        const unused = nodes.filter(({ id, z, type }) => !z && type !== "tab" && text.split(id).length < 3);
        should(unused.map(({ type }) => type)).be.empty();
      });

      it("has a position for each node, and no two at the same", () => {
        const places = drawn.map(({ x, y }) => `${x} ${y}`);
        should(new Set(places).size).equal(places.length);
        should(drawn.every(({ x, y }) => Number(x) > 0 && Number(y) > 0 && Number(y) % 10 === 0)).be.true();
      });
    });
  }
});
