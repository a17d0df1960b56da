import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { NodeAPI } from "node-red";
import should from "should";
import { environmentKey, environmentKeyProblem } from "../../nodes/connection/key.ts";
import { deployed } from "../../plugins/monitor/diagnostics/deployed.ts";
import { isSecretName } from "../../rehearsal/parent/flows/choose.ts";
import { generatePrivateKey, localEcdsaSigner } from "../../src/index.ts";
import { PUBLIC_BASE_URL, PUBLIC_GRAPHQL_URL } from "../../src/protocol/limits.ts";
import { eventually } from "../support/eventually.ts";
import { harnessFlow } from "../support/flow-harness.ts";
import { KeyListener } from "../support/key-listener.ts";
import { type FlowNode, NodeRed, UserDir } from "../support/node-red.ts";
import { channelNode, connectionNode, eventsInNode } from "../support/nodes.ts";
import { type Seeded, startSeededService } from "../support/seeded-service.ts";

const PLANT_KEY = "key-of-the-plant-that-must-not-leave";
const STORED_KEY = "stored-key-that-wins";
const TWINS_KEY = "key-of-twins-that-must-not-leave";

/** As in an image: flows.json and the environment, and no credentials file. */
describe("an API key from the environment", function () {
  this.timeout(180_000);

  let service: Seeded;
  let plant: KeyListener;
  let thief: KeyListener;
  let userDir: UserDir;
  let nodeRed: NodeRed;

  before(async () => {
    [service, plant, thief, userDir] = await Promise.all([
      startSeededService(3),
      KeyListener.open(),
      KeyListener.open(),
      UserDir.make(),
    ]);
    await writeFile(join(userDir.path, "flows.json"), JSON.stringify(reading(connection({}))));
    nodeRed = await NodeRed.start(userDir, {
      CREC_API_KEY: ` ${service.ready.api_key} `,
      CREC_BASE_URL: service.ready.base_url,
      CREC_GRAPHQL_URL: service.ready.graphql_url,
      CREC_API_KEY_PLANT_A: PLANT_KEY,
      CREC_BASE_URL_PLANT_A: plant.url,
      CREC_API_KEY_TWINS: TWINS_KEY,
      CREC_BASE_URL_TWINS: plant.url,
      CREC_API_KEY_EMPTY: " ",
      CREC_API_KEY_ODD: "key\u00e9",
      CREC_BASE_URL_ODD: plant.url,
      OTHER_URL: thief.url,
    });
  });
  after(async () => {
    await nodeRed?.kill();
    await Promise.all([service?.close(), plant?.close(), thief?.close()]);
    await userDir?.remove();
  });
  afterEach(() => {
    should(thief.keys).be.empty();
    told += nodeRed.heard + nodeRed.log;
    for (const key of [service.ready.api_key, PLANT_KEY, TWINS_KEY]) should(told).not.containEql(key);
  });

  const connection = (properties: Partial<FlowNode>): FlowNode => {
    const { credentials, ...node } = connectionNode(service.ready, { name: "", ...properties });
    return properties.credentials ? { ...node, credentials } : node;
  };
  const reading = (node: FlowNode, more: readonly FlowNode[] = []): FlowNode[] => {
    const reader = eventsInNode({ id: "reader", channel: "its-channel", verify: false });
    const channel = channelNode({ id: "its-channel", connection: node.id, channel: service.channelName });
    return harnessFlow([node, channel, ...more], [[reader, 3]]);
  };
  let told = "";
  /** Without what the flows before have said. */
  const deploy = async (node: FlowNode, more: readonly FlowNode[] = []) => {
    told += nodeRed.heard + nodeRed.log;
    await nodeRed.clear();
    await nodeRed.deploy(reading(node, more));
  };
  const says = (sentence: RegExp) => eventually(`${sentence}`, () => sentence.test(nodeRed.log));
  const connected = () => nodeRed.status("reader", "connected");
  const waiting = () => nodeRed.status("reader", "waiting-for-channel");
  const refused = () => nodeRed.status("reader", ({ fill }) => fill === "red");
  const atPlant = { baseUrl: "", graphqlUrl: "" };
  const post = async (path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    const answer = await nodeRed.fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    const text = await answer.text();
    should(text).not.containEql(service.ready.api_key);
    return JSON.parse(text) as { code?: string; problem?: string; networks?: unknown };
  };
  const globally = (name: string, value: string) =>
    ({
      ...{ id: "global", type: "global-config", name: "" },
      env: [{ name, value, type: "str" }],
    }) as FlowNode;

  it("reads events with flows.json and the environment alone", async () => {
    await nodeRed.shows(({ name }) => name === "reader:0");
    should(await readdir(userDir.path)).not.containEql("flows_cred.json");
    should(await readdir(userDir.path)).not.containEql("crec-keys.json");
    should(nodeRed.log).not.match(/API key/);
  });

  it("goes to no address of a flow's own", async () => {
    const { base_url: baseUrl } = service.ready;
    await deploy(connection({ baseUrl: thief.url }));
    await refused();
    await says(/the one in CREC_API_KEY is not sent to http:\S+, only to the public service and/);
    await deploy(connection({ graphqlUrl: thief.url }));
    await refused();
    // Another variable of the environment is not meant for it, and one of the flow only looks like one.
    await deploy(connection({ baseUrl: "${OTHER_URL}" }));
    await refused();
    await says(/is not sent to \$\{OTHER_URL\}, only/);
    const hidden = await post("crec/connection/test", { id: "connection", baseUrl: "${OTHER_URL}" });
    should(hidden.problem).match(/is not sent to \$\{OTHER_URL\}, only/);
    await deploy(connection({ baseUrl: "${CREC_BASE_URL}" }), [globally("CREC_BASE_URL", thief.url)]);
    await refused();
    const proxy = { id: "its-proxy", type: "http proxy", url: new URL(thief.url).origin, noproxy: [] };
    await deploy(connection({ baseUrl, proxy: proxy.id }), [proxy as unknown as FlowNode]);
    await refused();
    await deploy(connection({ baseUrl: "${CREC_BASE_URL}", graphqlUrl: `${service.ready.graphql_url}/` }));
    await connected();
  });

  it("is never that of a variable of the flow", async () => {
    const name = "of the flow";
    const env = globally("CREC_API_KEY_OF_THE_FLOW", "from-the-flow");
    await deploy(connection({ name }), [env]);
    await connected();
    await deploy(connection({ name: "plant a", ...atPlant, baseUrl: plant.url }), [
      globally("CREC_API_KEY_PLANT_A", "from-the-flow"),
    ]);
    await waiting();
    should(plant.keys.at(-1)?.endsWith(PLANT_KEY)).be.true();
  });

  it("with the name of a connection goes to the addresses of that name", async () => {
    await deploy(connection({ name: " Plant--a! ", ...atPlant, baseUrl: plant.url }));
    await waiting();
    should(plant.keys.at(-1)?.endsWith(PLANT_KEY)).be.true();
    await deploy(connection({ name: "Plant A" }));
    await refused();
    await says(/only to the addresses in CREC_BASE_URL_PLANT_A and CREC_GRAPHQL_URL_PLANT_A\./);
    await deploy(connection({ name: "Plant A", baseUrl: plant.url, graphqlUrl: PUBLIC_GRAPHQL_URL }));
    await refused();
    await deploy(connection({ name: "Plant B", ...atPlant, baseUrl: plant.url }));
    await refused();
    await deploy(connection({ name: "empty" }));
    await connected();
    const asked = plant.keys.length;
    await deploy(connection({ name: "odd", ...atPlant, baseUrl: plant.url }));
    should((await refused()).text).match(/^The API key contains characters/);
    should(plant.keys).have.length(asked);
  });

  it("is for one connection: two with the same variable are an error that names both", async () => {
    const twin = { name: "twins", ...atPlant, baseUrl: plant.url };
    const asked = plant.keys.length;
    await deploy(connection(twin), [connection({ ...twin, id: "other", name: "TWINS?" })]);
    await refused();
    should(plant.keys).have.length(asked);
    await says(/"twins" and "TWINS\?" would both take their API key from CREC_API_KEY_TWINS/);
    await says(/"TWINS\?" and "twins" would both/);
    // One that is disabled, or has a key of its own, does not.
    await deploy(connection(twin), [connection({ ...twin, id: "other", d: true })]);
    await waiting();
    await deploy(connection(twin), [
      connection({ ...twin, id: "other", credentials: { apiKey: STORED_KEY } }),
    ]);
    await waiting();
  });

  it("does not replace a stored key", async () => {
    const properties = { id: "stored", name: "plant a", ...atPlant, baseUrl: plant.url };
    await deploy(connection({ ...properties, credentials: { apiKey: STORED_KEY } }));
    await waiting();
    should(plant.keys.at(-1)?.endsWith(STORED_KEY)).be.true();
    await deploy(connection({ ...properties, credentials: { apiKey: "${NOT_SET}" } }));
    await refused();
    await says(/The variable NOT_SET is not set/);
  });

  it("is known to the form and its test, and to no report", async () => {
    const { base_url: baseUrl, graphql_url: graphqlUrl } = service.ready;
    await deploy(connection({}));
    await connected();
    const report = async (id: string) => (await nodeRed.fetch(`crec/connection/${id}/key`)).json();
    should(await report("connection")).deepEqual({ needsConfirmation: false, variable: "CREC_API_KEY" });
    should(await report("reader")).deepEqual({ needsConfirmation: false });
    const test = (body: object) =>
      post("crec/connection/test", { id: "connection", name: "", apiKey: "", baseUrl, graphqlUrl, ...body });
    should(await test({})).have.property("networks");
    for (const moved of [{ baseUrl: thief.url }, { graphqlUrl: thief.url }])
      should(await test(moved)).have.property("code", "KEY_NEEDS_CONFIRMATION");
    // Who may not deploy cannot try names.
    for (const other of [{ id: "new" }, { id: "reader" }, { name: "plant a" }])
      should(await test(other)).have.property("code", "KEY_MISSING");
    const proxy = { id: "its-proxy", type: "http proxy", url: new URL(thief.url).origin, noproxy: [] };
    const more = [
      proxy as unknown as FlowNode,
      connection({ id: "stored", credentials: { apiKey: "${NOT_SET}" } }),
    ];
    await deploy(connection({}), more);
    should(await test({ proxy: proxy.id })).have.property("code", "KEY_MISSING");
    await deploy(connection({ proxy: proxy.id }), more);
    should(await test({ proxy: proxy.id })).have.property("code", "KEY_NEEDS_CONFIRMATION");
    should(await test({ id: "stored" })).have.property("problem");
    const issues = async () => JSON.stringify(await post("crec/monitor/issues/run", {}));
    await deploy(connection({ baseUrl: thief.url }));
    await refused();
    should(await issues()).containEql("KEY_NEEDS_CONFIRMATION");
    await deploy(connection({}));
    await connected();
    should(await issues())
      .not.containEql("KEY_NEEDS_CONFIRMATION")
      .and.not.containEql("API key");
    const diagnostics = await (await nodeRed.fetch("crec/diagnostics")).text();
    should(diagnostics).containEql("connection #1").and.not.containEql(service.ready.api_key);
    should(diagnostics).not.containEql(PLANT_KEY);
    should(await readFile(join(userDir.path, "flows.json"), "utf8")).not.containEql(service.ready.api_key);
  });
});

/** What the guides say of flows whose secrets are not only API keys. */
describe("a credentials file of references", function () {
  this.timeout(120_000);

  it("fills in signers and shared states from the environment, without a secret to decrypt it", async () => {
    const userDir = await UserDir.make();
    const key = generatePrivateKey();
    const flows: FlowNode[] = [
      { id: "its-signer", type: "crec-signer", name: "", kind: "local" },
      { id: "its-state", type: "crec-fleet", name: "" },
    ];
    const credentials = { "its-signer": { privateKey: "${SIGNER}" }, "its-state": { url: "${STATE_URL}" } };
    const file = join(userDir.path, "flows_cred.json");
    await writeFile(join(userDir.path, "flows.json"), JSON.stringify(flows));
    await writeFile(file, JSON.stringify(credentials));
    const nodeRed = await NodeRed.start(
      userDir,
      { SIGNER: key, STATE_URL: "ftp://state.example" },
      { define: ["credentialSecret=false"] },
    );
    try {
      const { address } = localEcdsaSigner(key);
      await eventually("the signer's address", async () => {
        const answer = await nodeRed.fetch("crec/signer/address/its-signer");
        return ((await answer.json()) as { address: string }).address === address;
      });
      const wrongUrl = /The URL of the shared state does not begin with/;
      await eventually("the shared state's problem", () => wrongUrl.test(nodeRed.log));
      should(JSON.parse(await readFile(file, "utf8"))).deepEqual(credentials);
    } finally {
      await nodeRed.kill();
      await userDir.remove();
    }
  });
});

describe("the variables of an API key", () => {
  const RED = { nodes: { eachNode: () => undefined } } as unknown as NodeAPI;
  const names = ["", "_A", "_B", "_A_1_N"].map((suffix) => `CREC_API_KEY${suffix}`);
  const [base, ofA] = ["CREC_BASE_URL", "CREC_BASE_URL_A"] as const;
  afterEach(() => {
    for (const name of [...names, base, ofA]) delete process.env[name];
  });
  const problemOf = (suffix: string, baseUrl: string, graphqlUrl = "") => {
    const setting = (resolved: string) => ({ written: resolved, resolved });
    const destination = { baseUrl: setting(baseUrl), graphqlUrl: setting(graphqlUrl) };
    const key = { variable: `CREC_API_KEY${suffix}`, value: "secret", suffix };
    return environmentKeyProblem(RED.nodes, key, { id: "one", name: "" }, destination)?.message;
  };

  it("have the name in upper case, with one low line for all that is not a letter or a digit", () => {
    for (const name of names) process.env[name] = name;
    const variableOf = (name: string) => environmentKey(name)?.variable;
    should(variableOf("a")).equal("CREC_API_KEY_A");
    should(variableOf(" a. -1/ñn! ")).equal("CREC_API_KEY_A_1_N");
    for (const name of ["", "接続", "c", "__"]) should(variableOf(name)).equal("CREC_API_KEY");
    process.env.CREC_API_KEY_B = " ";
    should(variableOf("b")).equal("CREC_API_KEY");
    process.env.CREC_API_KEY = "";
    should(variableOf("b")).be.undefined();
  });

  it("go to the public service, with a name only where its own variables say so", () => {
    should(problemOf("", PUBLIC_BASE_URL, PUBLIC_GRAPHQL_URL)).be.undefined();
    should(problemOf("_A", PUBLIC_BASE_URL)).endWith(
      "only to the addresses in CREC_BASE_URL_A and CREC_GRAPHQL_URL_A. Nothing was sent. CREC_BASE_URL_A is not set: set it, correct the address or these variables, take a proxy from a variable, or enter the key.",
    );
    process.env[base] = process.env[ofA] = "https://own.example/v1/";
    should(problemOf("", PUBLIC_BASE_URL, PUBLIC_GRAPHQL_URL)).be.undefined();
    should(problemOf("_A", PUBLIC_BASE_URL)).match(/Nothing was sent\. Correct the address/);
    should(problemOf("_A", "https://own.example/v1")).be.undefined();
    should(problemOf("_A", "https://own.example/v1", PUBLIC_GRAPHQL_URL)).be.a.String();
    should(problemOf("_B", "https://own.example/v1")).be.a.String();
    process.env[ofA] = PUBLIC_BASE_URL;
    should(problemOf("_A", PUBLIC_BASE_URL)).be.undefined();
  });

  it("have values that no report shows, with or without a connection that uses them", () => {
    process.env.CREC_API_KEY_B = "events of the channel";
    should(deployed(RED.nodes).entered).containEql("events of the channel");
  });

  it("are never handed to a rehearsal, whatever the name", () => {
    for (const name of names) should(isSecretName(name)).be.true();
  });
});
