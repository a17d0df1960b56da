import should from "should";
import { harnessFlow, type Message } from "../support/flow-harness.ts";
import { type FlowNode, NodeRed, UserDir } from "../support/node-red.ts";
import { createWatcherNode, eventsInNode, TRANSFER_ABI } from "../support/nodes.ts";
import { OperationHarness, RECEIVER } from "../support/operation-harness.ts";
import { call, submitNode, value } from "../support/operation-nodes.ts";
import { sized } from "../support/variants.ts";

const EVENTS = sized(12, 50);
const COPIES = ["one", "two", "three"];
/** Each event arrives at two levels. */
const LEVELS = ["latest", "finalized"];
/** As many as one operation holds. */
const BATCH = 16;

/** Three Node-REDs with one flow and nothing in common: no folder, no database. */
describe("three copies of a flow that acts on events", function () {
  this.timeout(240_000);

  let harness: OperationHarness;
  const copies: NodeRed[] = [];
  const ends: Array<() => Promise<void>> = [];
  let executedBefore = 0;

  before(async () => {
    harness = await OperationHarness.start();
    const token = harness.config().find(({ id }) => id === "token") as FlowNode;
    const transfers = { ...token, id: "contract", abi: TRANSFER_ABI };
    const calls = { source: "message", transactions: "calls", transactionsType: "msg" };
    const raw = submitNode({ id: "many", ...calls, timeout: "120" });
    await harness.deploy(
      [
        [createWatcherNode(), 2],
        [raw, 2],
        [submitNode(), 2],
      ],
      [transfers],
    );
    await harness.ask("watcher", {});
    const flow = harnessFlow(harness.config(), [
      [eventsInNode({ types: ["watcher.event"], consumer: "copies", wires: [["act"], []] }), 3],
      [
        submitNode({
          id: "act",
          calls: [call("counter", "add(uint256)", value("payload.params.value", "msg"))],
          timeout: "120",
        }),
        2,
      ],
    ]);
    for (const _name of COPIES) {
      const userDir = await UserDir.make();
      const nodeRed = await NodeRed.start(userDir);
      copies.push(nodeRed);
      ends.push(async () => {
        await nodeRed.kill();
        await userDir.remove();
      });
      await nodeRed.deploy(flow);
    }
  });
  after(async () => {
    for (const end of ends) await end();
    await harness?.close();
  });

  const reached = (copy: NodeRed) => copy.shown("act:0").map(({ value }) => value as Message);
  const transaction = ({ payload }: Message) => (payload as { transactionHash?: string }).transactionHash;

  it(`executes ${EVENTS} operations for ${EVENTS} events, and all follow the same ones`, async () => {
    // The transfers of one operation are logs of one transaction: only their indexes differ.
    const data = (amount: number) =>
      `0xa9059cbb${RECEIVER.slice(2).toLowerCase().padStart(64, "0")}${amount.toString(16).padStart(64, "0")}`;
    const to = String(harness.service.ready.contracts.DemoToken);
    const transfers = Array.from({ length: EVENTS }, (_none, index) => ({
      ...{ to, value: "0", data: data(index + 1) },
    }));
    for (let from = 0; from < EVENTS; from += BATCH) {
      await harness.ask("many", { calls: transfers.slice(from, from + BATCH) });
    }
    executedBefore = Math.ceil(EVENTS / BATCH);

    const messages = EVENTS * LEVELS.length;
    for (const copy of copies) {
      await copy.shows(() => reached(copy).length >= messages || copy.shown("error").length > 0, 180_000);
      should(copy.shown("error").map(({ value }) => (value as Message).error)).be.empty();
    }

    const byKey = new Map<string, Message[]>();
    for (const message of copies.flatMap(reached)) {
      const key = String(message.crec?.usedKey);
      should(key).match(/^event \d+:0x[0-9a-f]{64}:\d+, node act$/);
      byKey.set(key, [...(byKey.get(key) ?? []), message]);
    }
    should(byKey.size).equal(EVENTS);
    for (const [key, about] of byKey) {
      should(about).have.length(COPIES.length * LEVELS.length);
      should(new Set(about.map(({ crec }) => crec?.operationId)).size).equal(1, key);
      should(new Set(about.map(transaction)).size).equal(1, key);
      should(about.map(({ crec }) => crec?.status)).matchEach(/^confirmed/);
      should(about.filter(({ crec }) => crec?.found === false).length).be.belowOrEqual(1);
      should(await harness.executions(key)).equal(1, key);
    }
    should(await harness.executions()).equal(executedBefore + EVENTS);
  });

  it("leaves all running", () => {
    for (const copy of copies) {
      should(copy.running).be.true();
      should(copy.log).not.match(/uncaught|unhandled|INTERNAL_ERROR|Close timed out/i);
    }
  });
});
