import { join } from "node:path";
import should from "should";
import { DedupeFile } from "../../src/storage/dedupe/file-dedupe-store.ts";
import { eventually } from "../support/eventually.ts";
import { ask, harnessFlow, type Message } from "../support/flow-harness.ts";
import { type FlowNode, NodeRed, UserDir } from "../support/node-red.ts";
import { createWatcherNode, eventsInNode, TRANSFER_ABI, verifyEventNode } from "../support/nodes.ts";
import { OperationHarness, RECEIVER } from "../support/operation-harness.ts";
import { submitNode } from "../support/operation-nodes.ts";

const PASSED = "once:0";
const REJECTED = "once:1";

/** "Each event once" behind an events in that waits for acknowledgements: what comes again, and what does not. */
describe("each event once, behind an events in that waits for acknowledgements", function () {
  this.timeout(120_000);

  let harness: OperationHarness;
  let userDir: UserDir;
  /** Reads, checks and acknowledges; what happens on the chain comes by the other one. */
  let nodeRed: NodeRed;

  before(async () => {
    harness = await OperationHarness.start();
    const token = harness.config().find(({ id }) => id === "token") as FlowNode;
    const transfers = { ...token, id: "contract", abi: TRANSFER_ABI };
    await harness.deploy(
      [
        [createWatcherNode(), 2],
        [submitNode({ follow: false }), 2],
      ],
      [transfers],
    );
    await harness.ask("watcher", {});
    userDir = await UserDir.make();
    nodeRed = await NodeRed.start(userDir);
    const reads = { types: ["watcher.event"], verify: false, confidence: "finalized", consumer: "reader" };
    await nodeRed.deploy(
      harnessFlow(harness.config(), [
        [
          eventsInNode({ ...reads, commit: "on-ack", ackTimeout: "2", attempts: "9", wires: [["once"], []] }),
          2,
        ],
        [verifyEventNode({ id: "once", firstTimeOnly: true }), 3],
        [{ id: "ack", type: "crec-ack", action: "ack" }, 1],
        [{ id: "refuse", type: "crec-ack", action: "retry", delay: "0.1" }, 1],
      ]),
    );
  });
  after(async () => {
    await nodeRed?.kill();
    await userDir?.remove();
    await harness?.close();
  });

  const happens = () => harness.ask("submit", { to: RECEIVER, payload: "1" });
  /** What left by a port, once it has left so often since Node-RED was started. */
  const left = async (port: string, count: number): Promise<Message[]> => {
    await nodeRed.shows(({ name }) => name === port && nodeRed.shown(port).length >= count);
    return nodeRed.shown(port).map(({ value }) => value as Message);
  };
  const last = async (port: string, count: number) => (await left(port, count)).at(-1) as Message;
  const acked: unknown[] = [];
  const acknowledge = async (msg: Message) => {
    await ask(nodeRed, "ack", msg);
    should(nodeRed.statuses("ack").at(-1)).have.property("code", "ack");
    acked.push(msg.crec?.eventId);
  };

  it("passes what is refused, and what was not acknowledged in time, until it is acknowledged", async () => {
    await happens();
    const first = await last(PASSED, 1);
    await ask(nodeRed, "refuse", first);
    const second = await last(PASSED, 2);
    should(second.crec).have.properties({ eventId: first.crec?.eventId, attempt: 2 });
    // Nobody says anything.
    const third = await last(PASSED, 3);
    should(third.crec).have.properties({ eventId: first.crec?.eventId, attempt: 3 });
    await acknowledge(third);
    should(nodeRed.shown(REJECTED)).be.empty();
  });

  it("rejects all that was acknowledged when somebody goes back to the beginning", async () => {
    await happens();
    await acknowledge(await last(PASSED, 4));
    await nodeRed.press("press-events", { topic: "seek", payload: "beginning" });
    for (const [index, eventId] of acked.entries()) {
      const { crec } = await last(REJECTED, index + 1);
      should(crec?.verification).have.property("reason", "seen_before");
      should(crec).have.property("eventId", eventId);
      await ask(nodeRed, "ack", { crec } as Message);
    }
    should(nodeRed.shown(PASSED)).have.length(4);
  });

  it("passes again what a crash kept from being acknowledged", async () => {
    await happens();
    const { crec } = await last(PASSED, 5);
    const file = join(userDir.path, "crec-seen", "once.log");
    const isWritten = async () =>
      (await new DedupeFile(file).read()).entries.some(([key]) => key === crec?.dedupeKey);
    await eventually("the key in its file", isWritten);
    await nodeRed.kill();
    nodeRed = await NodeRed.start(userDir);
    const again = await last(PASSED, 1);
    should(again.crec).have.properties({ eventId: crec?.eventId, redelivered: true });
    await acknowledge(again);
    should(nodeRed.shown(REJECTED)).be.empty();
  });
});
