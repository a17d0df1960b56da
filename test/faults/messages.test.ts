import { randomInt } from "node:crypto";
import { fileURLToPath } from "node:url";
import should from "should";
import { type Borrowed, ownNodeRed } from "../support/borrowed-node-red.ts";
import { harnessFlow } from "../support/flow-harness.ts";
import type { FlowNode } from "../support/node-red.ts";
import {
  apiNode,
  channelNode,
  connectionNode,
  createWatcherNode,
  eventsInNode,
  manageNode,
  verifyEventNode,
} from "../support/nodes.ts";
import {
  call,
  operationNode,
  queryNode,
  signerNode,
  submitNode,
  value,
  walletNode,
} from "../support/operation-nodes.ts";
import type { BatchResult } from "./batch-result.ts";
import { CANARIES } from "./canaries.ts";
import { counterNode, typesOfPackage } from "./nodes.ts";
import { isWhole, SAMPLE_NUMBER } from "./table.ts";
import { makeWorld, type World } from "./world.ts";

/** To each node. */
const MESSAGES = isWhole ? 10_000 : 20;
/** Each has a seed of its own, so that what it finds can be repeated in seconds, and an answer well before a time-out. */
const BATCHES = isWhole ? 20 : 1;
const SEED = Number(process.env.FAULTS_SEED ?? (isWhole ? randomInt(2 ** 31) : SAMPLE_NUMBER));
/** Of processor time, so that a busy machine makes little difference. */
const LONGEST_MS = isWhole ? 100 : 300;
const MOST_HEAP_MB = 20;
/** Config nodes take no messages. */
const WITHOUT_INPUT = ["connection", "signer", "wallet", "channel", "contract", "fleet"].map(
  (name) => `crec-${name}`,
);

describe(`${MESSAGES} odd messages into every node (seed ${SEED})`, function () {
  this.timeout(1_200_000);

  let world: World;
  let borrowed: Borrowed;
  const typed = (name: string) => ({ value: name, type: "msg" });
  /** Each node takes from the message what it can. */
  const nodes: ReadonlyArray<[FlowNode, number]> = [
    [eventsInNode({ id: "events-in" }), 3],
    [{ id: "ack", type: "crec-ack", action: "reject", delay: "0", reason: "payload", reasonType: "msg" }, 2],
    [
      verifyEventNode({
        id: "verify-event",
        firstTimeOnly: true,
        remember: "100",
        expectEvents: "payload",
        expectEventsType: "msg",
      }),
      3,
    ],
    [
      {
        ...{ id: "alert", type: "crec-alert", when: "each", key: "payload", keyType: "msg" },
        conditions: [{ field: "value", comparison: ">", value: "payload", valueType: "msg" }],
      },
      2,
    ],
    [
      createWatcherNode({
        ...{ id: "create-watcher", watcherName: "payload", watcherNameType: "msg", contract: "counter" },
        ...{ events: "topic", eventsType: "msg", timeout: "1" },
      }),
      1,
    ],
    [
      submitNode({
        ...{ id: "submit-operation", source: "message", transactions: "payload", transactionsType: "msg" },
        ...{
          operationKey: "topic",
          operationKeyType: "msg",
          waitFor: "accepted",
          follow: false,
          timeout: "1",
        },
      }),
      2,
    ],
    [
      submitNode({
        ...{ id: "submit-call", waitFor: "accepted", follow: false, timeout: "1" },
        calls: [call("counter", "add(uint256)", value("payload", "msg"))],
      }),
      2,
    ],
    [operationNode("finalize", { id: "operation", timeout: "1" }), 1],
    [operationNode("wait", { id: "operation-wait", waitFor: "confirmed_latest", timeout: "1" }), 1],
    [
      queryNode({
        ...{
          id: "run-query",
          kind: "data",
          chainSelector: "",
          to: "to",
          toType: "msg",
          data: "payload",
          dataType: "msg",
        },
        timeout: "1",
      }),
      1,
    ],
    [
      {
        ...{
          id: "search-events",
          type: "crec-search-events",
          channel: "channel",
          limit: "1",
          verify: true,
          types: [],
        },
        ...Object.fromEntries(
          [
            "from",
            "to",
            "statuses",
            "watcher",
            "contractEvent",
            "address",
            "service",
            "operation",
            "query",
            "wallet",
            "network",
          ].flatMap((name) => [
            [name, name === "from" ? "topic" : "payload"],
            [`${name}Type`, "msg"],
          ]),
        ),
      },
      1,
    ],
    [manageNode("channels.get", { id: "manage" }), 1],
    [
      manageNode("channels.create-or-find", {
        id: "manage-create",
        description: "topic",
        descriptionType: "msg",
      }),
      1,
    ],
    [
      {
        ...{ id: "account", type: "crec-account", connection: "connection", action: "query" },
        ...{ query: "payload", queryType: "msg", variables: "topic", variablesType: "msg" },
      },
      1,
    ],
    [apiNode({ id: "api", method: "POST", body: "topic", bodyType: "msg" }), 1],
  ];
  const longest: Record<string, string> = {};

  before(async () => {
    world = await makeWorld(CANARIES.apiKey, CANARIES.signerKey);
    const settings = fileURLToPath(new URL("./hostile-settings.cjs", import.meta.url));
    borrowed = await ownNodeRed({}, { settings, define: ["logging.console.level=fatal"] });
    const config = [
      connectionNode(world.ready, { timeout: "5" }),
      channelNode({ channel: world.channelId }),
      counterNode(world),
      signerNode(CANARIES.signerKey),
      walletNode(world.ready, { wallet: world.wallet.name }),
    ];
    const { config: sender } = { config: [{ id: "sender", type: "hostile-sender" }] };
    const flows = harnessFlow([...config, ...sender], nodes);
    // What they send goes nowhere: a debug node has limits of its own.
    const ids = nodes.map(([{ id }]) => id);
    await borrowed.nodeRed.deploy(
      flows
        .filter(({ type }) => type !== "debug" && type !== "function")
        .map((node) => (ids.includes(node.id) || node.type === "catch" ? { ...node, wires: [] } : node)),
    );
  });
  after(async () => {
    if (process.env.FAULTS_TIMES) process.stdout.write(`${JSON.stringify(longest, null, 1)}\n`);
    await borrowed?.giveBack();
    await world?.close();
  });

  async function send(batch: object): Promise<BatchResult> {
    const response = await borrowed.nodeRed.fetch("faults/send", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(batch),
    });
    should(response.status).equal(200);
    return (await response.json()) as BatchResult;
  }

  it("is sent to every node with an input", () => {
    const used = nodes.map(([{ type }]) => type);
    should([...new Set([...used, ...WITHOUT_INPUT])].sort()).deepEqual(typesOfPackage().sort());
    should(typed("payload")).have.property("type", "msg");
  });

  for (const [index, [{ id }]] of nodes.entries()) {
    it(`ends each exactly once, in ${id}`, async () => {
      const { direct, channelId, operationId, queryId } = world;
      const { data } = await direct.events.search(channelId, { type: ["watcher.event"], limit: 1 });
      const sample = {
        ...{ payload: "name", topic: "topic", to: world.wallet.address },
        crec: {
          event: data[0],
          eventId: data[0]?.event_id,
          channelId,
          operationId,
          queryId,
          digest: `0x${"1".repeat(64)}`,
        },
      };
      const results: BatchResult[] = [];
      for (let batch = 0; batch < BATCHES; batch += 1) {
        const seed = SEED + index * BATCHES + batch;
        const result = await send({ id, seed, count: MESSAGES / BATCHES, sample });
        results.push(result);
        const told = `Batch ${batch}, seed ${seed}: ${JSON.stringify(result)}`;
        if (process.env.FAULTS_TIMES) process.stdout.write(`${id} ${told.slice(0, 1500)}\n`);
        should(result.unhandled).deepEqual([], told);
        should(result.thrown).deepEqual([], told);
        should([...result.lost, ...result.twice]).deepEqual([], told);
        should(result.polluted).be.false();
        should(result.longestMs).be.below(LONGEST_MS, told);
      }
      const longestMs = Math.max(...results.map((result) => result.longestMs));
      const heapMb = ((results.at(-1)?.heapAfter ?? Number.NaN) - (results[0]?.heapBefore ?? 0)) / 1e6;
      longest[id] = `${Math.round(longestMs)} ms, ${heapMb.toFixed(1)} MB`;
      should(heapMb).be.below(MOST_HEAP_MB);
      should(borrowed.nodeRed.running).be.true();
    });
  }
});
