import should from "should";
import type { ReaderReport } from "../../nodes/common/telemetry/types.ts";
import { ACTIVITY_SETTINGS, type Reported, reported, reportedWith } from "../support/activity.ts";
import { ackingNode, ackNode, EventHarness } from "../support/event-harness.ts";
import { harnessFlow } from "../support/flow-harness.ts";
import { channelNode, connectionNode, eventsInNode } from "../support/nodes.ts";

const EVENTS = 30;

/** What the nodes report of connections, readers and events, in a real Node-RED. */
describe("the reports of connections and readers", function () {
  this.timeout(120_000);

  let harness: EventHarness;

  before(async () => {
    harness = await EventHarness.start(EVENTS, { settings: ACTIVITY_SETTINGS });
  });

  afterEach(() => {
    harness.proxy.harm = () => undefined;
  });

  after(() => harness?.close());

  const reader = (accept: (one: ReaderReport) => boolean) =>
    reportedWith(harness.nodeRed, ({ readers }) => readers.find(accept));
  const connection = (state: string) =>
    reportedWith(harness.nodeRed, ({ connections }) => connections.find((one) => one.state === state));
  const answering = (status: number, type: string) => {
    const body = JSON.stringify({ type, message: "No." });
    harness.proxy.harm = () => ({ kind: "answer", status, body });
  };

  it("tell when the key ends, as the form says it", async () => {
    const keyEnds = "2099-03-31";
    await harness.deploy([], [connectionNode(harness.service.ready, { id: "other", keyEnds })]);
    const found = await reportedWith(harness.nodeRed, ({ connections }) =>
      connections.find(({ node }) => node === "other"),
    );
    should(found.keyExpiresAt).equal(Date.UTC(2099, 2, 31));
  });

  it("tell where a reader is, and what it delivered", async () => {
    await harness.deploy([[eventsInNode({ id: "reads", name: "Mine", verify: false, consumer: "one" }), 2]]);
    const found = await reader(
      ({ state, position, inFlight }) => state === "reading" && position === EVENTS && inFlight === 0,
    );
    should(found).match({
      ...{ node: "reads", flow: "harness-tab", type: "crec-events-in", label: "Mine" },
      ...{ consumer: "one", channel: harness.service.channelName, behind: 0 },
      ...{ delivered: EVENTS, rejected: 0, late: 0, inFlight: 0 },
    });
    should(found).not.have.property("behindMs");
    should(await connection("ok")).match({ node: "connection", baseUrl: harness.proxy.baseUrl, flow: "" });
    const { events } = await reported(harness.nodeRed);
    should(events.map(({ offset }) => offset)).deepEqual([...Array(EVENTS).keys()].map((index) => index + 1));
    should(events[0]).match({ node: "reads", consumer: "one", proof: "unchecked", isRedelivered: false });
  });

  it("count what is in flight, and how far behind it is", async () => {
    await harness.deploy([[ackingNode({ id: "acks", inFlight: "7" }), 2]]);
    const found = await reader(({ inFlight, state }) => inFlight === 7 && state === "behind");
    should(found.behind).be.approximately(EVENTS, 1);
    // It has never had all events, and falls back further.
    should(found.behindMs).be.above(0);
    await reader(({ node, behindMs = 0 }) => node === "acks" && behindMs > (found.behindMs ?? 0));
  });

  it("count a second attempt as redelivered, and not as another event", async () => {
    const node = ackingNode({
      id: "again",
      inFlight: "1",
      ackTimeout: "1",
      attempts: "2",
      start: "beginning",
    });
    await harness.deploy([
      [node, 2],
      [ackNode(), 1],
    ]);
    const isAgain = ({ events }: Reported) =>
      events.find(({ node, isRedelivered }) => node === "again" && isRedelivered);
    should((await reportedWith(harness.nodeRed, isAgain)).offset).equal(1);
    const isGivenUp = ({ events }: Reported) =>
      events.find(({ node, reason }) => node === "again" && reason === "given_up");
    should((await reportedWith(harness.nodeRed, isGivenUp)).proof).equal("unchecked");
    await reader(({ node, rejected }) => node === "again" && rejected > 0);
  });

  it("have the proof's reason, and how long its check took", async () => {
    await harness.deploy([[eventsInNode({ id: "checks", unverified: "drop", start: "beginning" }), 2]]);
    const { events } = await reportedWith(harness.nodeRed, (all) =>
      all.events.some(({ node }) => node === "checks") ? all : undefined,
    );
    const one = events.find(({ node }) => node === "checks");
    should(one?.proof).equalOneOf(["unsigned", "rejected", "verified"]);
    should(one?.proofMs).be.aboveOrEqual(0);
  });

  it("say what a reader waits for", async () => {
    const nowhere = channelNode({ id: "nowhere", channel: "not-there" });
    await harness.deploy([[eventsInNode({ id: "waits", channel: "nowhere" }), 2]], [nowhere]);
    const found = await reader(({ node, problem }) => node === "waits" && problem !== undefined);
    should(found).match({ state: "waiting", channel: "not-there", problem: { code: "CHANNEL_NOT_FOUND" } });
  });

  it("say that the key is refused, and since when", async () => {
    await harness.deploy([[eventsInNode({ id: "refused", verify: false }), 2]]);
    await connection("ok");
    answering(401, "UNAUTHORIZED");
    should(await connection("refused")).match({ problem: { code: "KEY_REFUSED" } });
    should(await reader(({ state }) => state === "refused")).match({ problem: { code: "KEY_REFUSED" } });
  });

  it("say that the service cannot be reached", async () => {
    await harness.deploy([[eventsInNode({ id: "cut", verify: false }), 2]]);
    await connection("ok");
    await harness.proxy.goDown();
    try {
      should(await connection("unreachable")).match({ problem: { code: "SERVICE_UNREACHABLE" } });
      await reader(({ state }) => state === "retrying");
    } finally {
      await harness.proxy.comeBack();
    }
  });

  it("name the second of two nodes with one consumer, and forget both after a deploy", async () => {
    const twin = (id: string) => eventsInNode({ id, verify: false, consumer: "same" });
    await harness.deploy([
      [twin("first"), 2],
      [twin("second"), 2],
    ]);
    should(await reader(({ problem }) => problem !== undefined)).match({
      ...{ state: "waiting", problem: { code: "CONSUMER_NAME_TAKEN" } },
    });
    await harness.deploy([]);
    should((await reported(harness.nodeRed)).readers).be.empty();
  });

  it("are neither left nor doubled by deploys that restart only what changed", async () => {
    const template = [
      { id: "template", type: "subflow", name: "Reads twice", in: [], out: [] },
      {
        ...eventsInNode({ id: "inside", verify: false, consumer: "${NAME}", start: "now" }),
        z: "template",
        x: 1,
        y: 1,
      },
    ];
    const instance = (id: string) => ({
      ...{ id, type: "subflow:template", z: "harness-tab", x: 1, y: 1, wires: [] },
      env: [{ name: "NAME", type: "str", value: id }],
    });
    const deployed = (round: number) =>
      harnessFlow(
        [...harness.config(), ...template, instance("use-1"), instance("use-2")].map((node) =>
          node.type === "crec-connection" ? { ...node, name: `round ${round}` } : node,
        ),
        [
          [
            eventsInNode({
              id: "alone",
              verify: false,
              start: "now",
              consumer: "alone",
              name: `round ${round}`,
            }),
            2,
          ],
        ],
      );
    for (const [round, type] of (["full", "nodes", "flows", "nodes", "flows", "full"] as const).entries())
      await harness.nodeRed.deploy(deployed(round), type);
    const { readers, connections } = await reportedWith(harness.nodeRed, (all) =>
      all.readers.every(({ state }) => state === "reading") ? all : undefined,
    );
    should(readers.map(({ node, consumer }) => `${node} ${consumer}`).sort()).deepEqual([
      ...["alone alone", "inside use-1", "inside use-2"],
    ]);
    should(connections.map(({ label }) => label)).deepEqual(["round 5"]);
    should(readers.map(({ flow }) => flow)).deepEqual(Array(3).fill("harness-tab"));
  });
});
