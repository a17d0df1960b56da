import should from "should";
import type { SentLast } from "../../nodes/common/shared/form-types.ts";
import { findLastEvents } from "../../nodes/events-in/reader/last-event.ts";
import type { ChannelEvent } from "../../src/index.ts";
import { makeEvent } from "../consumer/simulation.ts";
import type { Message } from "../support/flow-harness.ts";
import type { FlowNode } from "../support/node-red.ts";
import {
  apiNode,
  channelNode,
  connectionNode,
  createWatcherNode,
  eventsInNode,
  manageNode,
  TRANSFER_ABI,
  verifyEventNode,
} from "../support/nodes.ts";
import { OperationHarness, RECEIVER } from "../support/operation-harness.ts";
import { operationNode, queryNode, submitNode } from "../support/operation-nodes.ts";

type Cursor = { cursor: number; floor: number };
type Report = { lower?: number; inFlight?: number; delivered?: number };

/** A channel of so many events, of which `isWanted` says which one a node would send. */
function channel(count: number, isWanted: (offset: number) => boolean, order: "up" | "down") {
  const events = [...Array(count).keys()].map((index) => makeEvent(index + 1));
  const searched = order === "up" ? events : events.toReversed();
  const source = {
    poll: async () => ({ events: events.slice(-200), has_more: count > 200 }),
    search: () => searched.values(),
  };
  return {
    find: (types: readonly string[] = []) =>
      findLastEvents(
        {
          filters: { types, filter: {} } as unknown as Parameters<typeof findLastEvents>[0]["filters"],
          wanted: {
            prepare: async () => undefined,
            matches: ({ headers }: ChannelEvent) => isWanted(headers.offset),
            isConfident: () => true,
          },
        },
        {
          events: source as unknown as Parameters<typeof findLastEvents>[1]["events"],
          channelId: "channel",
          signal: new AbortController().signal,
        },
      ),
  };
}

describe("the newest event that matches", () => {
  const offsetOf = async (found: Promise<ChannelEvent[]>) => (await found)[0]?.headers.offset;

  it("is found among the newest, and below them in whatever order a search gives them", async () => {
    for (const order of ["up", "down"] as const) {
      should(await offsetOf(channel(1_000, (offset) => offset % 7 === 0, order).find())).equal(994);
      should(await offsetOf(channel(1_000, (offset) => offset < 300, order).find())).equal(299);
    }
  });

  it("is none where nothing matches, or where there is nothing", async () => {
    should(await offsetOf(channel(300, () => false, "up").find())).be.undefined();
    should(await offsetOf(channel(300, () => true, "up").find(["wallet.status"]))).be.undefined();
    should(await offsetOf(channel(0, () => true, "up").find())).be.undefined();
  });
});

describe("send the last event", function () {
  this.timeout(120_000);

  let harness: OperationHarness;
  /** The test message of the node `last`. */
  let test: Message;

  const reads = { types: ["watcher.event"], confidence: "highest" };
  const acting: FlowNode[] = [
    submitNode(),
    submitNode({ id: "draft", mode: "draft", allowTest: true }),
    submitNode({ id: "allowed", allowTest: true }),
    operationNode("get"),
    operationNode("list"),
    operationNode("wait"),
    operationNode("finalize"),
    operationNode("cancel"),
    operationNode("cancel", { id: "cancel-allowed", allowTest: true }),
    queryNode(),
    createWatcherNode({ id: "watch-refused", watcherName: "refused" }),
    createWatcherNode({ id: "watch-allowed", watcherName: "allowed", allowTest: true }),
    manageNode("channels.get"),
    manageNode("channels.create-or-find", { id: "manage-refused" }),
    manageNode("channels.create-or-find", { id: "manage-allowed", allowTest: true }),
    apiNode(),
    apiNode({ id: "post", method: "POST", body: "{}", bodyType: "json" }),
    apiNode({ id: "post-allowed", method: "POST", body: "name", bodyType: "msg", allowTest: true }),
    { id: "account", type: "crec-account", connection: "connection", action: "details" },
    { id: "search", type: "crec-search-events", channel: "channel", types: ["watcher.event"], limit: "1" },
    { id: "ack", type: "crec-ack", action: "ack" },
    verifyEventNode({ id: "once", firstTimeOnly: true }),
  ];

  before(async () => {
    harness = await OperationHarness.start();
    await harness.deploy(
      [
        [createWatcherNode(), 2],
        [eventsInNode({ id: "waits", ...reads, contractEvent: "Transfer, Approval" }), 3],
        [eventsInNode({ id: "any", types: [] }), 3],
        [eventsInNode({ id: "by-type", ...reads }), 3],
      ],
      [contract()],
    );
  });
  after(() => harness?.close());

  function contract(): FlowNode {
    const token = harness.config().find(({ id }) => id === "token") as FlowNode;
    return { ...token, id: "contract", abi: TRANSFER_ABI };
  }

  const post = async <T>(id: string, path: string): Promise<T> => {
    const answer = await harness.nodeRed.fetch(`crec/events-in/${id}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    return (await answer.json()) as T;
  };
  const get = async <T>(id: string, path = ""): Promise<T> =>
    (await (await harness.nodeRed.fetch(`crec/events-in/${id}${path}`)).json()) as T;
  const sendLast = (id: string) => post<SentLast & { code?: string }>(id, "/last");
  const left = async (output: string, isWanted: (msg: Message) => boolean = () => true) =>
    (await harness.nodeRed.showing(output, (value) => isWanted(value as Message))).value as Message;
  const isMarked = ({ crec }: Message) => crec?.test === true;

  it("has nothing to send while the channel has no matching event; the status says that no watcher sends one", async () => {
    const text = "no watcher sends these events";
    await harness.nodeRed.status("waits", "no watcher sends Transfer, Approval");
    await harness.nodeRed.status("by-type", text);
    should(await sendLast("waits")).deepEqual({ none: true });
    await harness.ask("watcher", {});
    await harness.nodeRed.status("waits", "no watcher sends Approval");
    await harness.nodeRed.status("by-type", ({ fill }) => fill === "green");
    should(harness.nodeRed.statuses("any").filter(({ fill }) => fill === "yellow")).matchEach({
      text: /connecting$/,
    });
    should(await sendLast("missing")).have.property("code", "NOT_CONNECTED");
  });

  it("sends it marked, and moves no cursor, acknowledges nothing and uses no place in flight", async () => {
    await harness.deploy(
      [
        [eventsInNode({ id: "last", ...reads, commit: "on-ack", ackTimeout: "60", consumer: "last" }), 3],
        [eventsInNode({ id: "levels", ...reads, confidence: "" }), 3],
        [eventsInNode({ id: "on-send", ...reads }), 3],
        ...acting.map((node): [FlowNode, number] => [node, 3]),
      ],
      [contract()],
    );
    await harness.ask("submit", { to: RECEIVER, payload: "1" });
    const real = await left("last:0");
    // Each level is an event of its own, and only the highest one leaves.
    should(real.payload).have.property("confidence", "finalized");
    await left("levels:0", ({ payload }) => (payload as { confidence: string }).confidence === "latest");
    await harness.nodeRed.status("on-send", "connected, 1 not final yet");
    const before = await get<Cursor>("last", "/cursor");
    should(await get<Report>("last")).containEql({ lower: 1, delivered: 1, inFlight: 1 });

    const { offset } = real.crec as { offset: number };
    should(await sendLast("last")).deepEqual({ offset, topic: "watcher.event/Transfer", output: "events" });
    test = await left("last:0", isMarked);
    should(test.payload).deepEqual(real.payload);
    should(test.crec).have.property("eventId", real.crec?.eventId);
    should(test.crec).not.have.property("consumer");
    await harness.ask("ack", test);
    should(harness.nodeRed.statuses("ack").at(-1)).have.property("code", "test");
    should(await get<Report>("last")).containEql({ lower: 1, delivered: 1, inFlight: 1 });
    should(await get<Cursor>("last", "/cursor")).deepEqual(before);

    // The same event can still be processed once, and acknowledged.
    for (const msg of [test, test, real]) await harness.ask("once", msg);
    await harness.nodeRed.press("press-once", real);
    should((await left("once:1")).crec?.verification).have.property("reason", "seen_before");
    await harness.ask("ack", real);
    should(harness.nodeRed.statuses("ack").at(-1)).have.property("code", "ack");
  });

  it("is refused by every node that acts, unless its form allows it", async () => {
    const asked = { ...test, to: RECEIVER, name: { name: "made-by-test" } };
    const drafted = await harness.ask("draft", { ...asked, payload: "1" });
    const refused: Record<string, Message> = {
      submit: { ...asked, payload: "1" },
      finalize: drafted,
      cancel: drafted,
      "watch-refused": asked,
      "manage-refused": { ...asked, payload: "made-by-test" },
      post: { ...asked, payload: "/channels" },
    };
    for (const [id, message] of Object.entries(refused)) {
      const { error } = await harness.refuse(id, message);
      should(error).have.property("code", "TEST_MESSAGE");
      should(error?.message).containEql('"allow test messages"');
      await harness.nodeRed.status(id, ({ fill }) => fill === "red");
    }
    const allowed: Record<string, Message> = {
      allowed: { ...asked, payload: "1" },
      "cancel-allowed": drafted,
      "watch-allowed": asked,
      "manage-allowed": { ...asked, payload: "allowed-by-form" },
      "post-allowed": { ...asked, payload: "/channels" },
    };
    for (const [id, message] of Object.entries(allowed))
      should([id, (await harness.ask(id, message)).crec?.test]).deepEqual([id, true]);
  });

  it("stays marked behind every node that asks", async () => {
    const sent = await harness.ask("submit", { to: RECEIVER, payload: "1" });
    const { operationId, walletOperationId } = sent.crec ?? {};
    const asked = { ...test, crec: { ...test.crec, operationId, walletOperationId } };
    const messages: Record<string, Message> = {
      get: asked,
      list: asked,
      wait: asked,
      query: { ...asked, payload: RECEIVER },
      manage: { ...asked, payload: "harness" },
      api: { ...asked, payload: "/networks" },
      account: asked,
      search: asked,
      ack: asked,
      once: asked,
    };
    for (const [id, message] of Object.entries(messages))
      should([id, (await harness.ask(id, message)).crec?.test]).deepEqual([id, true]);
    for (const { value } of harness.nodeRed.shown("allowed:1")) should(isMarked(value as Message)).be.true();
  });

  it("sends an event whose proof fails as the node would: by the second output, or not at all", async () => {
    const wrong = connectionNode(harness.service.ready, {
      id: "wrong",
      validSigners: RECEIVER,
      minRequiredSignatures: "1",
    });
    const channel = channelNode({ id: "distrusted", connection: "wrong" });
    const distrusts = { ...reads, channel: "distrusted", start: "now" };
    await harness.deploy(
      [
        [eventsInNode({ id: "rejects", ...distrusts }), 3],
        [eventsInNode({ id: "drops", ...distrusts, unverified: "drop" }), 3],
        [eventsInNode({ id: "others", ...distrusts, types: ["watcher.status"], confidence: "" }), 3],
      ],
      [wrong, channel],
    );
    for (const id of ["rejects", "drops", "others"])
      await harness.nodeRed.status(id, ({ fill }) => fill === "green");
    const rejected = await sendLast("rejects");
    should(rejected).have.property("output", "rejected");
    should(rejected).have.property("why").which.is.a.String();
    // An event that the chain makes final at this moment leaves there as well.
    const sent = await harness.nodeRed.showing("rejects:1", (value) => isMarked(value as Message));
    should((sent.value as Message).crec).containDeep({
      test: true,
      verification: { verified: false, reason: "threshold_not_met" },
    });
    should(await sendLast("drops")).have.property("output", "dropped");
    should(await sendLast("others")).have.property("output", "notices");
    await harness.nodeRed.showing("others:2", (value) => isMarked(value as Message));
    for (const id of ["rejects:0", "drops:0", "drops:1", "others:0"])
      should(harness.nodeRed.shown(id)).be.empty();
  });
});
