import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import should from "should";
import { markTyped } from "../../nodes/common/shared/variables.ts";
import { eventually } from "../support/eventually.ts";
import { harnessFlow } from "../support/flow-harness.ts";
import { KeyListener } from "../support/key-listener.ts";
import { type FlowNode, NodeRed, UserDir } from "../support/node-red.ts";
import { channelNode, eventsInNode } from "../support/nodes.ts";

const KEY = "test-secret-that-must-not-leave";

/** Whatever changes a flow: an import, a deploy by the API, a restart. */
describe("the stored key of a connection", function () {
  this.timeout(120_000);

  let home: KeyListener;
  let thief: KeyListener;
  let fromEnvironment: KeyListener;
  let userDir: UserDir;
  let nodeRed: NodeRed;
  const environment = () => ({ HOME_URL: fromEnvironment.url, HOME_KEY: KEY });

  before(async () => {
    [home, thief, fromEnvironment] = await Promise.all([
      KeyListener.open(),
      KeyListener.open(),
      KeyListener.open(),
    ]);
    userDir = await UserDir.make();
    nodeRed = await NodeRed.start(userDir, environment());
  });
  after(async () => {
    await nodeRed?.kill();
    await userDir?.remove();
    for (const listener of [home, thief, fromEnvironment]) await listener?.close();
  });

  const connection = (id: string, properties: Partial<FlowNode>): FlowNode => ({
    id,
    type: "crec-connection",
    graphqlUrl: "",
    timeout: "10",
    ...properties,
  });
  /** Deploys a reader of this connection, which asks for its channel by itself. */
  const deploy = (node: FlowNode, more: readonly FlowNode[] = []) => {
    const reader = eventsInNode({ id: "reader", channel: "its-channel", consumer: node.id });
    const channel = channelNode({ id: "its-channel", connection: node.id, channel: "wanted" });
    return nodeRed.deploy(harnessFlow([node, channel, ...more], [[reader, 3]]));
  };
  const waiting = () => nodeRed.status("reader", "waiting-for-channel");
  const refused = async (says: RegExp) => {
    const { text } = await nodeRed.status("reader", ({ fill }) => fill === "red");
    should(text).match(says);
  };

  it("is sent to its base URL, and to no other one", async () => {
    await deploy(connection("moved", { baseUrl: home.url, credentials: { apiKey: KEY } }));
    await waiting();
    should(home.keys.at(-1)).containEql(KEY);

    // An import with "replace", or a deploy of the same node: the key stays as it is.
    await deploy(connection("moved", { baseUrl: thief.url }));
    await refused(/The API key of this connection was entered for/);
    await deploy(connection("moved", { baseUrl: home.url, graphqlUrl: thief.url }));
    await refused(/The API key of this connection was entered for/);
    should(thief.keys).be.empty();

    // Back again it goes on by itself.
    await deploy(connection("moved", { baseUrl: home.url }));
    await waiting();
  });

  it("is not sent after a restart, or when the node had another type in the meantime", async () => {
    await deploy(connection("moved", { baseUrl: home.url, credentials: { apiKey: markTyped(KEY, "r1") } }));
    await waiting();
    await deploy(connection("moved", { baseUrl: thief.url }));
    await refused(/entered for/);
    await nodeRed.stop();
    nodeRed = await NodeRed.start(userDir, environment());
    await refused(/entered for/);
    await deploy(connection("beside", { baseUrl: home.url, credentials: { apiKey: KEY } }), [
      { id: "moved", type: "some-unknown-type" } as FlowNode,
    ]);
    await deploy(connection("moved", { baseUrl: thief.url }));
    await nodeRed.status("reader", ({ fill }) => fill === "red");
    should(thief.keys).be.empty();
  });

  it("is sent to a new address when it is entered for it, as in the form", async () => {
    await deploy(connection("typed", { baseUrl: home.url, credentials: { apiKey: markTyped(KEY, "a1") } }));
    await waiting();
    should(home.keys.at(-1)?.endsWith(KEY)).be.true();
    await deploy(
      connection("typed", { baseUrl: fromEnvironment.url, credentials: { apiKey: markTyped(KEY, "b2") } }),
    );
    await waiting();
    should(fromEnvironment.keys.at(-1)?.endsWith(KEY)).be.true();
  });

  it("from the environment is only sent to addresses from the environment", async () => {
    const credentials = { apiKey: "${HOME_KEY}" };
    await deploy(connection("environment", { baseUrl: "${HOME_URL}", credentials }));
    await waiting();
    await deploy(connection("stranger", { baseUrl: thief.url, credentials }));
    await refused(/The API key comes from the environment/);
    // Variables of the flow look alike.
    await deploy(connection("stranger", { baseUrl: "${HOME_URL}", credentials }), [
      {
        ...{ id: "global", type: "global-config", name: "" },
        env: [{ name: "HOME_URL", value: thief.url, type: "str" }],
      } as FlowNode,
    ]);
    await refused(/The API key comes from the environment/);
    should(nodeRed.log).match(/the address \$\{HOME_URL\} comes from a variable that the flow sets/);
    should(thief.keys).be.empty();
  });

  it("is not sent through another proxy that could read it, or to a server with any certificate", async () => {
    const credentials = { apiKey: markTyped(KEY, "p1") };
    const proxy = {
      id: "its-proxy",
      type: "http proxy",
      url: new URL(thief.url).origin,
      noproxy: [],
    } as FlowNode;
    const tls = { id: "its-tls", type: "tls-config", verifyservercert: false } as unknown as FlowNode;
    await deploy(connection("direct", { baseUrl: home.url, credentials }), [proxy, tls]);
    await waiting();
    const test = async (body: object) => {
      const answer = await nodeRed.fetch("crec/connection/test", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          id: "direct",
          baseUrl: home.url,
          graphqlUrl: "",
          apiKey: "__PWRD__",
          ...body,
        }),
      });
      return (await answer.json()) as { code?: string; networks?: unknown };
    };
    should(await test({})).have.property("networks");
    should(await test({ proxy: proxy.id })).have.property("code", "KEY_MISSING");
    await deploy(connection("direct", { baseUrl: home.url, proxy: proxy.id }), [proxy, tls]);
    await refused(/entered for/);
    await deploy(connection("direct", { baseUrl: home.url, tls: tls.id }), [proxy, tls]);
    await refused(/entered for/);
    should(thief.keys).be.empty();
  });

  it("is not sent when the connection is moved into a subflow, where it has another id", async () => {
    await deploy(connection("inner", { baseUrl: home.url, credentials: { apiKey: markTyped(KEY, "s1") } }));
    await waiting();
    const z = "thieves-subflow";
    const subflow = (properties: Partial<FlowNode>): FlowNode[] => [
      { id: "subflow-tab", type: "tab", label: "subflow" },
      { ...{ id: z, type: "subflow", name: "s", info: "", in: [], out: [] }, env: [] } as unknown as FlowNode,
      connection("inner", { z, ...properties }),
      channelNode({ id: "inner-channel", z, connection: "inner", channel: "wanted" }),
      eventsInNode({
        id: "inner-reader",
        z,
        channel: "inner-channel",
        consumer: "inner",
        wires: [[], [], []],
      }),
      { id: "instance", type: `subflow:${z}`, z: "subflow-tab", x: 10, y: 10, wires: [] },
    ];
    const asked = home.keys.length + thief.keys.length;
    await nodeRed.deploy(subflow({ baseUrl: thief.url }));
    await nodeRed.status("instance-inner-reader", ({ fill }) => fill === "red");
    await nodeRed.deploy(subflow({ baseUrl: thief.url, credentials: { apiKey: "${HOME_KEY}" } }));
    await nodeRed.status("instance-inner-reader", ({ fill }) => fill === "red");
    should(home.keys.length + thief.keys.length).equal(asked);
    await nodeRed.deploy(subflow({ baseUrl: "${HOME_URL}", credentials: { apiKey: "${HOME_KEY}" } }));
    await nodeRed.status("instance-inner-reader", "waiting-for-channel");
  });

  it("is for one address, where instances of a subflow have several: the two ways that it names work", async () => {
    const z = "places";
    const apiKey = markTyped(KEY, "i1");
    const subflow = (
      connectionId: string,
      inside: FlowNode[],
      property: object,
      values: string[],
    ): FlowNode[] => [
      { id: "places-tab", type: "tab", label: "places" },
      {
        ...{ id: z, type: "subflow", name: "s", info: "", in: [], out: [] },
        env: [property],
      } as unknown as FlowNode,
      ...inside,
      channelNode({ id: "place", z, connection: connectionId, channel: "wanted" }),
      eventsInNode({ id: "of", z, channel: "place", consumer: "${CONSUMER}", wires: [[], [], []] }),
      ...values.map((value, index) => ({
        ...{ id: `place-${index}`, type: `subflow:${z}`, z: "places-tab", x: 10, y: 10, wires: [] },
        env: [
          { ...property, value },
          { name: "CONSUMER", type: "str", value: `place ${index}` },
        ],
      })),
    ];
    const waits = (index: number) => nodeRed.status(`place-${index}-of`, "waiting-for-channel");
    const url = { name: "PLACE_URL", type: "str", value: "" };
    const inside = connection("inside", { z, baseUrl: "${PLACE_URL}", credentials: { apiKey } });
    await nodeRed.deploy(subflow("inside", [inside], url, [home.url, fromEnvironment.url]));
    await eventually(
      "a refusal",
      () => nodeRed.log,
      (log) =>
        /Each instance of the subflow gives it an address of its own.* of the type crec-connection; or/.test(
          log,
        ),
    );
    await Promise.any([waits(0), waits(1)]);

    const outside = [home, fromEnvironment].map(({ url: baseUrl }, index) =>
      connection(`outside-${index}`, { baseUrl, credentials: { apiKey: markTyped(KEY, `o${index}`) } }),
    );
    const chosen = { name: "PLACE", type: "crec-connection", value: "", ui: { type: "conf-types" } };
    await nodeRed.deploy(subflow("${PLACE}", outside, chosen, ["outside-0", "outside-1"]));
    await Promise.all([waits(0), waits(1)]);

    const safe = connection("inside", { z, baseUrl: "${HOME_URL}", credentials: { apiKey: "${HOME_KEY}" } });
    await nodeRed.deploy(subflow("inside", [safe], url, ["", ""]));
    await Promise.all([waits(0), waits(1)]);
  });

  it("is not sent under another name of an environment variable", async () => {
    const env = [{ name: "LAUNDERED", value: "HOME_KEY", type: "env" }];
    const global = { id: "global", type: "global-config", name: "", env } as unknown as FlowNode;
    await deploy(connection("launders", { baseUrl: thief.url, credentials: { apiKey: "${LAUNDERED}" } }), [
      global,
    ]);
    await refused(/The API key comes from the environment/);
    should(thief.keys).be.empty();
  });

  it("is never sent to a form, which learns only whether it must be entered again", async () => {
    await deploy(connection("moved", { baseUrl: home.url, credentials: { apiKey: markTyped(KEY, "z9") } }));
    await waiting();
    const report = async () => {
      const text = await (await nodeRed.fetch("crec/connection/moved/key")).text();
      should(text).not.containEql(KEY);
      return JSON.parse(text);
    };
    should(await report()).deepEqual({ needsConfirmation: false, typedFor: [home.url] });
    await deploy(connection("moved", { baseUrl: thief.url }));
    await refused(/entered for/);
    should(await report()).deepEqual({ needsConfirmation: true, typedFor: [home.url] });
    should(await (await nodeRed.fetch("crec/connection/nowhere/key")).json()).deepEqual({
      needsConfirmation: false,
    });
    should(await readFile(join(userDir.path, "crec-keys.json"), "utf8")).not.containEql(KEY);
    should(thief.keys).be.empty();
  });

  it("is not sent by a test of the connection in the meantime", async () => {
    await deploy(connection("moved", { baseUrl: home.url, credentials: { apiKey: markTyped(KEY, "b2") } }));
    await waiting();
    await deploy(connection("moved", { baseUrl: thief.url }));
    await refused(/entered for/);
    const answer = await nodeRed.fetch("crec/connection/test", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ id: "moved", baseUrl: thief.url, graphqlUrl: "", apiKey: "__PWRD__" }),
    });
    should(await answer.json()).have.property("code", "KEY_NEEDS_CONFIRMATION");
    should(thief.keys).be.empty();
  });

  it("is told as not decrypted, not as never entered, where credentialSecret is another one", async () => {
    const secretFile = join(userDir.path, "credential-secret");
    const secret = await readFile(secretFile, "utf8");
    const credentials = { url: "redis://127.0.0.1:1" };
    const fleet: FlowNode = { id: "its-fleet", type: "crec-fleet", namespace: "restored", credentials };
    await deploy(connection("restored", { baseUrl: home.url, credentials: { apiKey: KEY } }), [fleet]);
    await waiting();
    await nodeRed.stop();
    await writeFile(secretFile, "0".repeat(64));
    nodeRed = await NodeRed.start(userDir, environment());
    for (const what of [/The connection's API key is missing/, /CREC_FLEET_URL is not set/]) {
      const says = new RegExp(
        `${what.source}\\. Node-RED could not decrypt its credentials .* before you deploy`,
      );
      await eventually(`the log says ${says}`, () => says.test(nodeRed.log));
    }
    // As the sentence says: with the former secret, all is there again.
    await nodeRed.stop();
    await writeFile(secretFile, secret);
    nodeRed = await NodeRed.start(userDir, environment());
    await waiting();
    should(nodeRed.log).not.match(/could not decrypt/);
  });
});
