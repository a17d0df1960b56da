import { setTimeout as sleep } from "node:timers/promises";
import should from "should";
import { ackingNode, EventHarness, isPoll } from "../support/event-harness.ts";
import { eventually } from "../support/eventually.ts";
import { type FlowNode, freshId, NodeRed, UserDir } from "../support/node-red.ts";
import { channelNode, connectionNode, eventsInNode } from "../support/nodes.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

const EVENTS = 1_000;
const CONNECTED = "connected";
/** At the start all ask at once, and a socket that was just used is not free for the next call at once. */
const MOST_AT_ONCE = 20;
/** Calls come once a second from each; were each node to keep a socket of its own, ten would stay. */
const FEW = 7;
const TEN = [...Array(10).keys()].map((number) => `reader-${number}`);

/** What a person sees under the node, and what its service and host see of it. */
describe("events in, seen from outside", function () {
  this.timeout(120_000);

  let harness: EventHarness;

  before(async () => {
    harness = await EventHarness.start(EVENTS);
  });

  afterEach(() => {
    harness.proxy.harm = () => undefined;
  });

  after(() => harness?.close());

  const refusing = (status: number, type: string, code?: string) => {
    const body = JSON.stringify({ type, ...(code && { code }), message: "No." });
    harness.proxy.harm = (passing) => (isPoll(passing) ? { kind: "answer", status, body } : undefined);
  };
  const pollsWithin = async (ms: number): Promise<number> => {
    const before = harness.proxy.passed.filter(isPoll).length;
    await sleep(ms);
    return harness.proxy.passed.filter(isPoll).length - before;
  };
  const newest = (properties: Partial<FlowNode>) =>
    eventsInNode({ verify: false, start: "now", ...properties });

  describe("the status", () => {
    it("goes from connecting over behind to connected", async () => {
      await harness.deploy([[eventsInNode({ id: "drains", verify: false }), 2]]);
      await harness.nodeRed.status("drains", CONNECTED);
      const texts = harness.nodeRed.statuses("drains").map(({ text }) => text ?? "");
      should(harness.nodeRed.statuses("drains")[0]).have.property("code", "connecting");
      const behind = texts.filter((text) => text.startsWith("behind by "));
      should(behind).not.be.empty();
      const numbers = behind.map((text) => Number(text.slice("behind by ".length)));
      should(numbers).deepEqual(numbers.toSorted((a, b) => b - a));
      should(numbers[0]).be.approximately(EVENTS, 1);
      should(harness.nodeRed.statuses("drains").at(-1)).have.properties({ fill: "green", shape: "dot" });
    });

    it("says for how many acknowledgements it waits", async () => {
      await harness.deploy([[ackingNode({ id: "acks", inFlight: "7" }), 2]]);
      should(await harness.nodeRed.status("acks", "waiting for 7 acks")).have.properties({
        ...{ fill: "blue", shape: "dot" },
      });
    });

    it("says when it tries again, and forgets it once that succeeds", async () => {
      await harness.deploy([[newest({ id: "retries" }), 2]]);
      await harness.nodeRed.status("retries", CONNECTED);
      refusing(500, "INTERNAL_ERROR");
      should(await harness.nodeRed.status("retries", / · retry in \d+ s$/)).have.property("fill", "red");
      harness.proxy.harm = () => undefined;
      await harness.nodeRed.status("retries", CONNECTED);
    });

    it("counts the seconds down to the next attempt", async () => {
      await harness.deploy([[newest({ id: "counts" }), 2]]);
      await harness.nodeRed.status("counts", CONNECTED);
      refusing(500, "INTERNAL_ERROR");
      const { text = "" } = await harness.nodeRed.status("counts", / · retry in ([2-9]|\d\d+) s$/);
      const seconds = Number(/(\d+) s$/.exec(text)?.[1]);
      const next = await harness.nodeRed.status("counts", new RegExp(` · retry in ${seconds - 1} s$`));
      should(next).have.property("fill", "red");
    });

    it("says that the key is refused, at the start or later", async () => {
      const wrong = connectionNode(harness.service.ready, {
        ...{ id: "wrong", credentials: { apiKey: `wrong-${freshId()}` } },
      });
      const refused = channelNode({
        id: "refused",
        connection: "wrong",
        channel: harness.service.channelName,
      });
      await harness.deploy(
        [
          [newest({ id: "never", channel: "refused" }), 2],
          [newest({ id: "no-more" }), 2],
        ],
        [wrong, refused],
      );
      const keyRefused = "key-refused";
      should(await harness.nodeRed.status("never", keyRefused)).have.property("fill", "red");
      await harness.nodeRed.status("no-more", CONNECTED);
      refusing(401, "UNAUTHORIZED");
      should(await harness.nodeRed.status("no-more", keyRefused)).have.property("fill", "red");
      should(await pollsWithin(1_000)).equal(0);
    });

    it("is the same for a key without rights, at the look-up of the channel and at a poll", async () => {
      const keyRefused = "key-refused";
      const body = JSON.stringify({ type: "FORBIDDEN", message: "No." });
      await harness.deploy([[newest({ id: "polls" }), 2]]);
      await harness.nodeRed.status("polls", CONNECTED);
      harness.proxy.harm = () => ({ kind: "answer", status: 403, body });
      should(await harness.nodeRed.status("polls", keyRefused)).have.property("fill", "red");
      const channel = channelNode({ id: "forbidden", channel: harness.service.channelName });
      await harness.deploy([[newest({ id: "looks-up", channel: "forbidden" }), 2]], [channel]);
      should(await harness.nodeRed.status("looks-up", keyRefused)).have.property("fill", "red");
    });

    it("says that it waits for its channel, until there is one", async () => {
      const coming = channelNode({ id: "coming", channel: "not there yet" });
      await harness.deploy(
        [
          [newest({ id: "awaits", channel: "coming" }), 2],
          [newest({ id: "lost" }), 2],
        ],
        [coming],
      );
      const waiting = "waiting-for-channel";
      should(await harness.nodeRed.status("awaits", waiting)).have.properties({
        fill: "yellow",
        shape: "ring",
      });
      await harness.call("POST", "/channels", { name: "not there yet" });
      await harness.nodeRed.status("awaits", CONNECTED);
      await harness.nodeRed.status("lost", CONNECTED);
      refusing(404, "NOT_FOUND", "CHANNEL_NOT_FOUND");
      await harness.nodeRed.status("lost", waiting);
      harness.proxy.harm = () => undefined;
      await harness.nodeRed.status("lost", CONNECTED);
      should(
        harness.nodeRed.shown("error").filter(({ value }) => JSON.stringify(value).includes('"lost"')),
      ).be.empty();
    });
  });

  describe("its requests", () => {
    it("stop while as many events are out as may be", async () => {
      await harness.deploy([[ackingNode({ id: "full", inFlight: "5", pollMin: "0.1", pollMax: "0.1" }), 2]]);
      await harness.arrived("full", 5);
      should(await pollsWithin(1_500)).equal(0);
      should(harness.arrivals("full")).have.length(5);
    });

    it("of ten nodes share the sockets of their connection", async () => {
      const wire = await TcpProxy.before(harness.proxy.baseUrl);
      const userDir = await UserDir.make();
      const nodeRed = await NodeRed.start(userDir);
      try {
        const [connection, channel] = harness.config();
        if (!connection || !channel) throw new Error("There are two.");
        const readers = TEN.map((id) =>
          eventsInNode({
            ...{ id, z: "ten", x: 1, y: 1, verify: false, pollMin: "0.5", pollMax: "1" },
            wires: [[], []],
          }),
        );
        const flow = [
          { id: "ten", type: "tab" },
          { ...connection, baseUrl: wire.baseUrl },
          channel,
          ...readers,
        ];
        await nodeRed.deploy(flow);
        await Promise.all(TEN.map((id) => nodeRed.status(id, CONNECTED)));
        should(wire.mostOpen).be.belowOrEqual(MOST_AT_ONCE);
        // Those that only the start needed are closed after some seconds.
        await eventually(
          `1 to ${FEW} connections`,
          () => wire.open,
          (open) => open >= 1 && open <= FEW,
        );
        // Deploys leave nothing behind: neither sockets nor listeners.
        for (const name of ["a", "b", "c"]) await nodeRed.deploy(flow.map((node) => ({ ...node, name })));
        await Promise.all(TEN.map((id) => nodeRed.status(id, CONNECTED)));
        should(wire.open).be.belowOrEqual(MOST_AT_ONCE);
        should(nodeRed.log).not.match(/MaxListeners|memory leak|Close timed out/i);
      } finally {
        await nodeRed.kill();
        await wire.close();
        await userDir.remove();
      }
    });
  });
});
