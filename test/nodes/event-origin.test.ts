import should from "should";
import { type Message, refuse } from "../support/flow-harness.ts";
import type { FlowNode } from "../support/node-red.ts";
import { channelNode, createWatcherNode, eventsInNode, manageNode } from "../support/nodes.ts";
import { OperationHarness, RECEIVER } from "../support/operation-harness.ts";
import { operationNode, queryNode, submitNode } from "../support/operation-nodes.ts";

/** A flow that acts in one channel on the events of another: they are processed where they came from. */
describe("a message of events in, on its way through another channel", function () {
  this.timeout(120_000);

  let harness: OperationHarness;
  /** The first event, and where it came from. */
  let event: Message;
  let origin: unknown;

  const watcher = (id: string, channel: string) =>
    createWatcherNode({ id, channel, contract: "transfers", watcherName: "name", watcherNameType: "msg" });
  const acting: FlowNode[] = [
    submitNode(),
    submitNode({ id: "draft", mode: "draft" }),
    operationNode("get"),
    operationNode("list"),
    queryNode(),
    watcher("watch", "channel"),
    manageNode("watchers.get", { id: "find", connection: "", target: "name" }),
    manageNode("channels.get", { id: "channel-get", target: "where" }),
  ];

  before(async () => {
    harness = await OperationHarness.start();
    const reads = { channel: "events", verify: false, commit: "on-ack", inFlight: "1", ackTimeout: "60" };
    const transfers = harness.config().find(({ id }) => id === "token");
    await harness.deploy(
      [
        [eventsInNode({ id: "reads", ...reads }), 2],
        [watcher("happens", "events"), 2],
        [{ id: "ack", type: "crec-ack", action: "ack" }, 1],
        ...acting.map((node): [FlowNode, number] => [node, 2]),
      ],
      [
        channelNode({ id: "events", channel: "of-events", createMissing: true }),
        {
          ...(transfers as FlowNode),
          id: "transfers",
          abi: "event Transfer(address indexed from, address indexed to, uint256 value)",
        },
      ],
    );
    // Two events each: it is pending, then active.
    await harness.ask("happens", { name: "first" });
    await harness.ask("happens", { name: "second" });
    event = (await harness.nodeRed.showing("reads:0")).value as Message;
    origin = event.crec?.channelId;
  });
  after(() => harness?.close());

  const comes = (offset: number) =>
    harness.nodeRed.showing("reads:0", (value) => (value as Message).crec?.offset === offset);
  const settles = async (msg: Message) => {
    await harness.ask("ack", msg);
    should(harness.nodeRed.statuses("ack").at(-1)).have.property("code", "ack");
  };

  it("keeps saying so behind every node that acts elsewhere, and its errors too", async () => {
    const asked = { ...event, to: RECEIVER, payload: "1", name: "of-origin", where: "harness" };
    const sent = await harness.ask("submit", asked);
    const { operationId } = sent.crec ?? {};
    const answers: Record<string, Message> = {
      submit: sent,
      draft: await harness.ask("draft", asked),
      get: await harness.ask("get", { ...asked, crec: { ...asked.crec, operationId } }),
      list: await harness.ask("list", asked),
      query: await harness.ask("query", { ...asked, payload: RECEIVER }),
      watch: await harness.ask("watch", asked),
      find: await harness.ask("find", asked),
      "channel-get": await harness.ask("channel-get", asked),
      "an unknown operation": await refuse(harness.nodeRed, "get", {
        ...asked,
        crec: { ...asked.crec, operationId: "00000000-0000-4000-8000-000000000000" },
      }),
    };
    for (const [node, { crec }] of Object.entries(answers)) {
      should([node, crec?.channelId, crec?.eventId]).deepEqual([node, origin, event.crec?.eventId]);
    }
    should(answers["channel-get"]?.payload).have.property("channel_id").and.not.equal(origin);
    for (const { value } of harness.nodeRed.shown("submit:1")) {
      should((value as Message).crec).have.property("channelId", origin);
    }
  });

  it("is processed once it has been acted on, whatever else the flow has put in the place of its channel", async () => {
    await settles(await harness.ask("submit", { ...event, to: RECEIVER, payload: "1" }));
    const next = (await comes(2)).value as Message;
    await settles({ ...next, crec: { ...next.crec, channelId: "somewhere else" } });
    await comes(3);
  });

  it("names the channel acted in where it is of no event", async () => {
    const { crec } = await harness.ask("submit", { to: RECEIVER, payload: "1" });
    should(crec).have.property("channelId").and.not.equal(origin);
  });
});
