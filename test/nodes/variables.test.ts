import should from "should";
import { nodeError } from "../../nodes/common/shared/errors.ts";
import { unsetVariable } from "../../nodes/common/shared/variables.ts";
import type { RunningService } from "../../service/src/index.ts";
import { ask, harnessFlow, type Message, refuse } from "../support/flow-harness.ts";
import { type FlowNode, NodeRed, UserDir } from "../support/node-red.ts";
import {
  apiNode,
  channelNode,
  connectionNode,
  contractNode,
  createWatcherNode,
  eventsInNode,
  manageNode,
  verifyEventNode,
} from "../support/nodes.ts";
import {
  operationNode,
  queryNode,
  signerNode,
  submitNode,
  value,
  walletNode,
} from "../support/operation-nodes.ts";
import { startTestService } from "../support/service.ts";

const NOPE = "${TEST_NOPE}";
const KEY = `0x${"5e".repeat(32)}`;

type Case = { what: string; node: FlowNode; config?: FlowNode[] };

/** A field that is wholly `${NAME}` where NAME is not set: Node-RED would take the text as it stands. */
describe("a variable that is not set", function () {
  this.timeout(120_000);

  let service: RunningService;
  let userDir: UserDir;
  let nodeRed: NodeRed;

  before(async () => {
    [service, userDir] = await Promise.all([startTestService(), UserDir.make()]);
    nodeRed = await NodeRed.start(userDir, {
      TEST_PATH: "/networks",
      TEST_SECRET: "a secret",
    });
  });

  after(async () => {
    await nodeRed?.kill();
    await service?.close();
    await userDir?.remove();
  });

  const common = () => [
    connectionNode(service.ready),
    channelNode({ createMissing: true }),
    contractNode(service.ready),
    signerNode(KEY),
    walletNode(service.ready, { wallet: `0x${"11".repeat(20)}` }),
  ];

  /** A node that uses a config node of its own, whose field names the variable. */
  const cases = (): Case[] => {
    const withConnection = (name: string, properties: object): Case => ({
      what: `connection: ${name}`,
      config: [connectionNode(service.ready, { id: `connection-${name}`, ...properties })],
      node: apiNode({
        id: `api-${name}`,
        connection: `connection-${name}`,
        path: "/networks",
        pathType: "str",
      }),
    });
    const withContract = (name: string): Case => ({
      what: `contract: ${name}`,
      config: [contractNode(service.ready, { id: `contract-${name}`, [name]: NOPE })],
      node: createWatcherNode({ id: `watcher-${name}`, contract: `contract-${name}` }),
    });
    const withWallet = (name: string): Case => ({
      what: `wallet: ${name}`,
      config: [walletNode(service.ready, { id: `wallet-${name}`, [name]: NOPE })],
      node: submitNode({ id: `submit-${name}`, wallet: `wallet-${name}` }),
    });
    const node = (what: string, of: FlowNode): Case => ({ what, node: of });
    return [
      withConnection("baseUrl", { baseUrl: NOPE }),
      withConnection("graphqlUrl", { graphqlUrl: NOPE }),
      withConnection("creTenantId", { creTenantId: NOPE }),
      withConnection("validSigners", { validSigners: `${NOPE}\n` }),
      withConnection("apiKey", { credentials: { apiKey: NOPE } }),
      ...["chainSelector", "address", "abi", "decimals"].map(withContract),
      ...["chainSelector", "wallet"].map(withWallet),
      {
        what: "channel",
        config: [channelNode({ id: "nameless", channel: NOPE, createMissing: true })],
        node: createWatcherNode({ id: "in-nameless", channel: "nameless" }),
      },
      {
        what: "signer: privateKey",
        config: [
          signerNode(NOPE, { id: "keyless" }),
          walletNode(service.ready, { id: "keyless-wallet", signer: "keyless" }),
        ],
        node: submitNode({ id: "submit-keyless", wallet: "keyless-wallet" }),
      },
      node("api call: path", apiNode({ path: NOPE, pathType: "str" })),
      node(
        "api call: query",
        apiNode({ id: "api-query", path: "/networks", pathType: "str", query: NOPE, queryType: "json" }),
      ),
      node("account: variables", accountNode({ variables: NOPE, variablesType: "json" })),
      node("account: operationName", accountNode({ id: "account-name", operationName: NOPE })),
      node("manage: target", manageNode("channels.get", { target: NOPE, targetType: "str" })),
      node("create watcher: watcherName", createWatcherNode({ watcherName: NOPE })),
      node("create watcher: timeout", createWatcherNode({ id: "hasty", timeout: NOPE })),
      node("verify event: expectEvents", verifyEventNode({ expectEvents: NOPE, expectEventsType: "str" })),
      node("run query: to", queryNode({ kind: "raw", chainSelector: "1", to: NOPE })),
      node(
        "submit operation: a value of a call",
        submitNode({ calls: [{ kind: "raw", to: value(NOPE), data: value(""), amount: value("1") }] }),
      ),
      node("submit operation: deadline", submitNode({ id: "submit-deadline", deadline: NOPE })),
      node("operation: operation", operationNode("get", { operation: NOPE, operationType: "str" })),
      node("search events: watcher", {
        id: "search",
        type: "crec-search-events",
        channel: "channel",
        watcher: NOPE,
        watcherType: "str",
      }),
      node("ack event: delay", { id: "ack", type: "crec-ack", action: "retry", delay: NOPE }),
    ];
  };

  const accountNode = (properties: Partial<FlowNode>): FlowNode => ({
    id: "account",
    type: "crec-account",
    connection: "connection",
    action: "query",
    query: "{ a }",
    queryType: "str",
    ...properties,
  });

  it("turns each node red that needs it, names it, and nothing is sent", async () => {
    const all = cases();
    const good = apiNode({ id: "good", path: "${TEST_PATH}", pathType: "str" });
    const unread = apiNode({
      id: "unread",
      path: "/networks",
      pathType: "str",
      body: NOPE,
      bodyType: "json",
      name: NOPE,
    });
    await nodeRed.deploy(
      harnessFlow(
        [...common(), ...all.flatMap(({ config = [] }) => config)],
        [...all.map(({ node }) => node), good, unread].map((node) => [node, 1]),
      ),
    );
    for (const { what, node } of all) {
      const { error } = await refuse(nodeRed, node.id, {
        payload: "1",
        to: `0x${"00".repeat(20)}`,
        crec: { eventId: "e", event: {} },
      });
      should(error?.code).equal("VARIABLE_MISSING", `${what}: ${error?.code} ${error?.message}`);
      should(error?.message).startWith("The variable TEST_NOPE is not set where Node-RED runs. Set it");
      should(error?.source.id).equal(node.id);
      await nodeRed.status(node.id, ({ fill }) => fill === "red");
    }
    // What is set is used, and what is not read is not judged.
    await ask(nodeRed, "good", {});
    await ask(nodeRed, "unread", {});
    const answer = await fetch(`${service.ready.base_url}/channels`, {
      headers: { authorization: `Apikey ${service.ready.api_key}` },
    });
    should(await answer.text()).not.containEql("TEST_NOPE");
  });

  it("stops events in, which no message starts, at once", async () => {
    const nodes = [
      eventsInNode({ id: "no-name", consumer: NOPE }),
      eventsInNode({ id: "no-filter", contractEvent: NOPE }),
      eventsInNode({ id: "no-place", channel: "nameless" }),
    ];
    const config = [...common(), channelNode({ id: "nameless", channel: NOPE, createMissing: true })];
    await nodeRed.deploy(
      harnessFlow(
        config,
        nodes.map((node) => [node, 2]),
      ),
    );
    for (const { id } of nodes) {
      await nodeRed.shows(({ name, value: shown }) => {
        const { error } = shown as Message;
        return name === "error" && error?.source.id === id && error.code === "VARIABLE_MISSING";
      });
      await nodeRed.status(id, ({ fill }) => fill === "red");
    }
  });

  it("is looked for in whole texts only, and in what is no typed input", () => {
    const missing = nodeError("VARIABLE_MISSING", "").code;
    for (const settings of [
      NOPE,
      ` ${NOPE}`,
      { text: NOPE },
      { list: ["a", NOPE] },
      { call: { function: NOPE } },
    ]) {
      should(unsetVariable(settings)?.code).equal(missing, JSON.stringify(settings));
    }
    for (const settings of [
      "",
      undefined,
      7,
      null,
      `dev-${NOPE}`,
      "$" + "{a b}",
      { name: NOPE },
      { text: NOPE, textType: "msg" },
      { args: [{ value: NOPE, type: "str" }] },
    ]) {
      should(unsetVariable(settings)).equal(undefined, JSON.stringify(settings));
    }
  });

  it("is named by an error in place of its value, which may be secret", async () => {
    await nodeRed.deploy(
      harnessFlow(
        [connectionNode(service.ready), channelNode({ createMissing: true })],
        [
          [apiNode({ id: "written", path: "${TEST_SECRET}", pathType: "str" }), 1],
          [apiNode({ id: "chosen", path: "TEST_SECRET", pathType: "env" }), 1],
          [apiNode({ id: "method", path: "/networks", method: "${TEST_SECRET}" }), 1],
        ],
      ),
    );
    for (const id of ["written", "chosen", "method"]) {
      const { message, code } = (await refuse(nodeRed, id, {})).error as { message: string; code: string };
      should(code).equal("INVALID_FIELD");
      should(message).containEql('"${TEST_SECRET}"').and.not.containEql("a secret");
    }
  });
});
