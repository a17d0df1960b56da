import { randomBytes, randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import should from "should";
import type { Diagnostics } from "../../../plugins/monitor/diagnostics/report.ts";
import { generatePrivateKey } from "../../../src/index.ts";
import { RunningExample } from "../../support/example.ts";
import { type FlowNode, freshId, idOf, NodeRed, UserDir } from "../../support/node-red.ts";
import { itWide } from "../../support/wide.ts";
import { spellings } from "./canaries.ts";

const secret = () => `${randomBytes(9).toString("hex")}Zq`;
/** What must not be in a report, by where it is. */
const CANARY = {
  apiKey: secret(),
  privateKey: generatePrivateKey(),
  vaultToken: `hvs.${secret()}`,
  awsSecret: `${randomBytes(15).toString("base64")}/+Zq`,
  privySecret: secret(),
  remotePassword: secret(),
  remoteUser: "oyelaran.adebayo",
  proxyPassword: secret(),
  fleetPassword: secret(),
  variable: `https://${secret().toLowerCase()}.example/v1`,
  token: secret(),
  host: `${secret().toLowerCase()}.example`,
  store: "quimby-store",
  tab: "Zoë Quimby, invoices",
  nodeName: "payments of Přemysl Škvorecký",
  channel: "Xochitl Nguyen-Batbayar",
  wallet: "treasury of Ulfhild",
  email: "zoe.quimby@mailer.example",
  template: "Dear Wilhelmina, {{tokens.value}} are gone",
  path: "/customers/oskarsdottir-4711",
  expression: "$hildegunde + payload",
  account: "0x52908400098527886E0F7030069857D2E4169EE7",
  message: "Parcel of Thorbjorn Ilves",
} as const;

const TAB = "f1f2f3f4f5f6f7f8";
const READY = freshId();
const CAUGHT = freshId();
/** Nodes that fail, each with a canary in it; and nodes that only have one. */
const CARRIERS: FlowNode[] = [
  { id: TAB, type: "tab", label: CANARY.tab },
  {
    id: "connection-of-zoe-quimby",
    type: "crec-connection",
    name: CANARY.nodeName,
    baseUrl: `https://user@${CANARY.host}/v1`,
    timeout: "0.2",
    proxy: "a1a2a3a4a5a6a7a8",
    orgId: CANARY.account,
    credentials: { apiKey: CANARY.apiKey },
  },
  {
    id: "b1a2a3a4a5a6a7a8",
    type: "crec-connection",
    baseUrl: "$" + "{CANARY_URL}",
    credentials: { apiKey: "$" + "{CANARY_KEY}" },
  },
  {
    id: "a1a2a3a4a5a6a7a8",
    type: "http proxy",
    name: CANARY.nodeName,
    url: `http://${CANARY.host}:1`,
    credentials: { username: CANARY.remoteUser, password: CANARY.proxyPassword },
  },
  signer({ kind: "local", credentials: { privateKey: CANARY.privateKey } }),
  signer({
    kind: "vault",
    vaultUrl: `https://${CANARY.host}`,
    credentials: { vaultToken: CANARY.vaultToken },
  }),
  signer({ kind: "aws-kms", keyId: CANARY.account, credentials: { awsSecretAccessKey: CANARY.awsSecret } }),
  signer({ kind: CANARY.privySecret, credentials: { privyAppSecret: CANARY.privySecret } }),
  signer({
    kind: "remote",
    remoteUrl: `https://${CANARY.host}`,
    remoteUser: CANARY.remoteUser,
    credentials: { remotePassword: CANARY.remotePassword },
  }),
  {
    id: freshId(),
    type: "crec-fleet",
    namespace: CANARY.remoteUser,
    credentials: { url: `postgres://u:${CANARY.fleetPassword}@${CANARY.host}/db` },
  },
];

function signer(properties: Partial<FlowNode>): FlowNode {
  return { id: freshId(), type: "crec-signer", name: CANARY.nodeName, ...properties };
}

/** Nodes on the workspace, with the connection and the channel of the quickstart. */
function onWorkspace(flows: readonly FlowNode[]): FlowNode[] {
  const connection = idOf(flows, "crec-connection");
  const channel = freshId();
  const place = { z: TAB, x: 100, y: 100, wires: [] };
  const pressed = (node: Partial<FlowNode> & { id: string; type: string; name: string }): FlowNode[] => [
    { ...place, ...node },
    { ...place, id: freshId(), type: "inject", name: node.name, props: [], wires: [[node.id]] },
  ];
  return [
    { id: channel, type: "crec-channel", name: "", connection, channel: CANARY.channel },
    { ...place, id: freshId(), type: "crec-events-in", name: "", channel, consumer: CANARY.remoteUser },
    {
      ...{ ...place, id: freshId(), type: "crec-events-in", name: CANARY.nodeName, consumer: "another" },
      ...{ channel: idOf(flows, "crec-channel"), store: CANARY.store },
    },
    {
      ...{ ...place, id: freshId(), type: "crec-alert", name: CANARY.wallet },
      ...{ title: CANARY.email, text: CANARY.template, limit: "77777123", severity: CANARY.email },
    },
    ...pressed({
      id: freshId(),
      type: "crec-api",
      name: "fails by its path",
      connection,
      method: "GET",
      path: CANARY.path,
      pathType: "str",
    }),
    ...pressed({
      id: freshId(),
      type: "crec-api",
      name: "fails by its expression",
      connection,
      path: CANARY.expression,
      pathType: "jsonata",
    }),
    ...pressed({
      id: freshId(),
      type: "crec-account",
      name: "reaches no service",
      connection: "connection-of-zoe-quimby",
    }),
    ...pressed({
      id: freshId(),
      type: "crec-manage",
      name: "fails by its message",
      connection,
      action: "channels.get",
      target: "topic",
      targetType: "msg",
    }),
    { ...place, id: freshId(), type: "catch", scope: null, wires: [[CAUGHT]] },
    { ...place, id: CAUGHT, type: "debug", name: "caught", complete: "true", targetType: "full" },
  ];
}

/** The quickstart runs, and beside it are nodes that hold or are about what must not leave the machine. */
describe("diagnostics", function () {
  this.timeout(120_000);

  let flow: RunningExample;
  /** What the event and the operation were about. */
  const values: string[] = [];

  async function answer<T>(path: string): Promise<T> {
    const response = await flow.nodeRed.fetch(path);
    should(response.status).equal(200);
    return (await response.json()) as T;
  }
  const json = () => answer<Diagnostics>("crec/diagnostics");

  before(async () => {
    flow = await RunningExample.start("01-quickstart", {
      alone: true,
      env: { CANARY_URL: CANARY.variable, CANARY_KEY: CANARY.apiKey, CREC_MONITORING_TOKEN: CANARY.token },
      change: (flows) => [
        ...flows.map((node) =>
          node.type === "crec-create-watcher" ? { ...node, wires: [[READY], []] } : node,
        ),
        { id: READY, type: "debug", z: idOf(flows, "tab"), name: "ready", complete: "payload", wires: [] },
        ...CARRIERS,
        ...onWorkspace(flows),
      ],
    });
    await flow.pressed("Set up", "ready");
    const event = flow.next<{ params: { from: string; to: string; value: string } }>("verified");
    await flow.press("Send 1 token");
    values.push(...Object.values((await event).params));
    for (const button of ["fails by its path", "fails by its expression", "reaches no service"]) {
      await flow.pressed(button, "caught");
    }
    await flow.pressed("fails by its message", "caught", { topic: CANARY.message });
  });
  after(() => flow?.close());

  it("tell what runs here, how it is set and how it stands", async () => {
    const { versions, stateFolder, health, nodes, connections, events, operationsEnded, errors } =
      await json();
    should(versions.node).equal(process.versions.node);
    should([versions.package, versions.nodeRed]).matchEach(/^\d+\./);
    should(stateFolder).deepEqual({ chosenBy: "default", isUserDirectory: true, access: "writable" });
    // One node waits for its channel, and another one cannot open its store.
    should(health).have.properties({ status: "failing", monitoring: "on" });
    should(health.reasons).match(/^reader_stopped, .*reader_waiting/);
    should(connections.map(({ state }) => state)).containEql("ok");
    should(events[0]).have.properties({ proof: "verified", type: "watcher.event" });
    should(operationsEnded[0]).have.properties({ outcome: "reached", isProven: true });
    const wanted = nodes.find(({ id }) => id === flow.id("crec-events-in"));
    should(wanted?.settings).have.properties({ channel: "channel #1", commit: "on-send" });
    should(wanted?.status?.text).be.a.String().and.not.be.empty();
    should(nodes.find(({ settings }) => settings.kind === "vault")?.settings.vaultToken).equal("(set)");
    // Those that a Catch node has handled, too.
    const codes = errors.map(({ node, code }) => `${node}: ${code}`);
    should(codes).containEql("api #2: NOT_FOUND");
    should(codes).containEql("manage #3: CHANNEL_NOT_FOUND");
  });

  it("are text with the same content, for a bug report", async () => {
    const { text } = await answer<{ text: string }>("crec/diagnostics?format=text");
    should(text).startWith("CRE Connect diagnostics, ");
    for (const title of ["Versions", "State folder", "Issues", "Errors", "Nodes"]) {
      should(text).containEql(`\n${title}\n`);
    }
    should(text).match(/- label: events in #1, .*settings.commit: on-send/);
  });

  it("hold no secret, no name, no address and no value of an event", async () => {
    const { text } = await answer<{ text: string }>("crec/diagnostics?format=text");
    const whole = `${JSON.stringify(await json())}\n${text}`.toLowerCase();
    const parts = Object.values(CANARY).flatMap((value) => [
      value,
      ...value.split(/[^\p{L}\p{N}]+/u).filter((part) => part.length >= 6 && !ORDINARY.includes(part)),
    ]);
    const accounts = Object.values(flow.environment).filter((value) => /^0x[0-9a-f]{40,}$/i.test(value));
    should(values.length).equal(3);
    should(accounts.length).be.above(1);
    for (const value of [...parts, ...accounts, ...values, flow.userDir.path]) {
      for (const spelling of spellings) {
        should(whole.includes(spelling(value).toLowerCase())).equal(false, `${value} is in it:\n${whole}`);
      }
    }
  });
});

/** Words of canaries that our own texts have, too. */
const ORDINARY = [
  "invoices",
  "payments",
  "tokens",
  "payload",
  "example",
  "customers",
  "postgres",
  "treasury",
];

describe("the address of diagnostics", function () {
  this.timeout(120_000);

  // In the core, test/nodes/lookups.test.ts asks for it beside other addresses.
  itWide("asks for the permission to read", async () => {
    const userDir = await UserDir.make();
    const settings = fileURLToPath(new URL("../../nodes/admin-auth-settings.cjs", import.meta.url));
    const nodeRed = await NodeRed.start(userDir, {}, { settings, token: "admin" });
    try {
      const as = async (token: string) =>
        (await nodeRed.fetch("crec/diagnostics", { headers: { Authorization: `Bearer ${token}` } })).status;
      should(await as("reader")).equal(200);
      should(await as(randomUUID())).equal(401);
      should((await nodeRed.fetch("crec/diagnostics")).status).equal(401);
    } finally {
      await nodeRed.kill();
      await userDir.remove();
    }
  });
});
