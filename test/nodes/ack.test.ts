import should from "should";
import { type Arrival, ackingNode, ackNode, EventHarness } from "../support/event-harness.ts";
import { ask, functionNode, type Message, refuse } from "../support/flow-harness.ts";
import { eventsInNode } from "../support/nodes.ts";

const EVENTS = 60;
const ON_SEND = ["event", "eventId", "offset", "channelId", "reader", "type"];

/** Acknowledging and refusing events, in a real Node-RED, with a person at each button. */
describe("ack event", function () {
  this.timeout(120_000);

  let harness: EventHarness;

  before(async () => {
    harness = await EventHarness.start(EVENTS);
  });

  after(() => harness?.close());

  const offsetsOf = (arrivals: readonly Arrival[]) => arrivals.map(({ crec }) => crec.offset);
  const acknowledge = (msg: Arrival, id = "does-ack") => ask(harness.nodeRed, id, msg);
  const [does, again, rejects] = [
    ackNode({ id: "does-ack" }),
    ackNode({ id: "asks-again", action: "retry", delay: "0.2" }),
    ackNode({ id: "rejects", action: "reject", reason: "because", reasonType: "msg" }),
  ];

  describe("acknowledging", () => {
    it("lets the next event come, and passes the message on as it came", async () => {
      await harness.deploy([
        [ackingNode({ id: "one", consumer: "whose" }), 2],
        [eventsInNode({ id: "beside", verify: false }), 2],
        [does, 1],
      ]);
      for (const number of [1, 2, 3]) {
        const msg = (await harness.arrived("one", number)).at(-1);
        if (!msg) throw new Error("It has arrived.");
        should(msg.crec).have.keys(...ON_SEND, "consumer");
        should(msg.crec).have.properties({ offset: number, consumer: "whose" });
        // Another has read them all: nothing else is on its way.
        if (number === 1) await harness.arrived("beside", EVENTS);
        should(harness.arrivals("one")).have.length(number);
        const { payload, topic, crec } = await acknowledge(msg);
        should({ payload, topic, crec }).deepEqual({
          payload: msg.payload,
          topic: msg.topic,
          crec: msg.crec,
        });
      }
      should(harness.nodeRed.statuses("does-ack").at(-1)).have.properties({
        ...{ fill: "green", code: "ack" },
      });
    });

    it("in any order: never more are out than may be, and each comes first in its turn", async () => {
      // Counts what is out, and lets each go after a time of its own.
      const work = `
        const out = (flow.get("out") || 0) + 1;
        const order = (flow.get("order") || 0) + 1;
        flow.set("out", out);
        flow.set("order", order);
        setTimeout(() => {
          flow.set("out", flow.get("out") - 1);
          node.send({ ...msg, out, order });
        }, Math.random() * 40);`;
      await harness.deploy(
        [
          [ackingNode({ id: "busy", inFlight: "4", wires: [["work"], []] }), 2],
          [ackNode({ id: "lets-go" }), 1],
        ],
        [functionNode("work", work, ["lets-go"])],
      );
      const done = await harness.arrived("lets-go", EVENTS);
      should(Math.max(...done.map(({ out }) => Number(out)))).equal(4);
      const inOrder = done.toSorted((a, b) => Number(a.order) - Number(b.order));
      should(inOrder.map(({ crec }) => crec.eventId)).deepEqual(harness.service.eventIds);
      should(inOrder.filter(({ crec }) => crec.redelivered)).be.empty();
    });

    it("twice, or too late, does no harm", async () => {
      await harness.deploy([
        [ackingNode({ id: "two", inFlight: "2", ackTimeout: "0.4" }), 2],
        [does, 1],
      ]);
      const [first, second] = await harness.arrived("two", 2);
      if (!first || !second) throw new Error("There are two.");
      const errors = harness.nodeRed.shown("error").length;
      await acknowledge(first);
      await harness.arrival("two", ({ crec }) => crec.offset === 3);
      await acknowledge(first);
      should(harness.nodeRed.statuses("does-ack").at(-1)).have.properties({
        ...{ fill: "grey", code: "settled" },
      });
      should(offsetsOf(harness.arrivals("two"))).not.containEql(4);
      // The message of the first attempt still counts during the second.
      await harness.arrival("two", ({ crec }) => crec.offset === 2 && crec.attempt === 2);
      await acknowledge(second);
      await harness.arrival("two", ({ crec }) => crec.offset === 4);
      should(harness.nodeRed.shown("error")).have.length(errors);
    });

    it("counts for the consumer that sent the message, and for no other of the channel", async () => {
      await harness.deploy([
        [ackingNode({ id: "mine" }), 2],
        [ackingNode({ id: "theirs" }), 2],
        [does, 1],
        [rejects, 1],
      ]);
      const [[my], [their]] = await Promise.all([harness.arrived("mine", 1), harness.arrived("theirs", 1)]);
      if (!my || !their) throw new Error("Both have one.");
      should(my.crec.eventId).equal(their.crec.eventId);
      for (const number of [1, 2, 3]) {
        const msg = (await harness.arrived("mine", number)).at(-1);
        if (msg) await acknowledge(msg);
      }
      await harness.arrived("mine", 4);
      should(harness.arrivals("theirs")).have.length(1);
      await acknowledge(their, "rejects");
      await harness.arrived("theirs", 1, 1);
      await harness.arrived("theirs", 2);
      should(harness.arrivals("mine", 1)).be.empty();
    });

    it("is refused where the message does not say of which event", async () => {
      await harness.deploy([
        [ackingNode({ id: "waits" }), 2],
        [does, 1],
      ]);
      const [msg] = await harness.arrived("waits", 1);
      for (const crec of [undefined, {}, { eventId: 7 }, { channelId: msg?.crec.channelId }]) {
        const refused = await refuse(harness.nodeRed, "does-ack", {
          kept: "as it was",
          ...(crec && { crec }),
        });
        should(refused.error).have.property("code", "EVENT_MISSING");
        should(refused).have.property("kept", "as it was");
      }
      await harness.nodeRed.status("does-ack", ({ fill }) => fill === "red");
      if (msg) await acknowledge(msg);
      await harness.nodeRed.status("does-ack", ({ fill }) => fill === "green");
      await harness.arrived("waits", 2);
    });
  });

  describe("refusing", () => {
    it("has the event come again after the delay, marked, as it was at first", async () => {
      const spoil = `
        const was = msg.payload.status;
        msg.payload.status = msg.crec.event.payload.status = "changed by the flow";
        return { ...msg, was };`;
      await harness.deploy(
        [
          [ackingNode({ id: "patient", wires: [["spoil"], []] }), 2],
          [again, 1],
          [does, 1],
        ],
        [functionNode("spoil", spoil, ["patient-look-0"])],
      );
      const [msg] = await harness.arrived("patient", 1);
      if (!msg) throw new Error("It has arrived.");
      const refusedAt = performance.now();
      await acknowledge(msg, "asks-again");
      const [, second] = await harness.arrived("patient", 2);
      should(performance.now() - refusedAt).be.aboveOrEqual(195);
      should(second?.was).equal(msg.was);
      should(second?.crec).have.properties({ eventId: msg.crec.eventId, redelivered: true, attempt: 2 });
      if (second) await acknowledge(second);
      const [, , third] = await harness.arrived("patient", 3);
      should(third?.crec).have.property("offset", 2);
      should(third?.crec).not.have.any.keys("attempt", "redelivered");
    });

    it("sends it to the rejected port with the reason, and goes on", async () => {
      await harness.deploy([
        [ackingNode({ id: "gives-up" }), 2],
        [rejects, 1],
      ]);
      const [msg] = await harness.arrived("gives-up", 1);
      if (!msg) throw new Error("It has arrived.");
      await ask(harness.nodeRed, "rejects", { ...msg, because: "the printer is on fire" });
      const [rejected] = await harness.arrived("gives-up", 1, 1);
      should(rejected?.payload).deepEqual(msg.payload);
      should(rejected?.crec).deepEqual({ ...msg.crec, rejection: "the printer is on fire" });
      const [, second] = await harness.arrived("gives-up", 2);
      if (!second) throw new Error("It has arrived.");
      await ask(harness.nodeRed, "rejects", second);
      const [, bare] = await harness.arrived("gives-up", 2, 1);
      should(bare?.crec).have.properties({ offset: 2, rejection: "It was refused." });
    });

    it("too often comes to the same", async () => {
      await harness.deploy([
        [ackingNode({ id: "insists", attempts: "2" }), 2],
        [again, 1],
      ]);
      for (const number of [1, 2]) {
        const msg = (await harness.arrived("insists", number)).at(-1);
        if (msg) await acknowledge(msg, "asks-again");
      }
      const [rejected] = await harness.arrived("insists", 1, 1);
      should(rejected?.crec).have.properties({ offset: 1, attempt: 2, redelivered: true });
      should(rejected?.crec.rejection).equal("It was sent 2 times and refused.");
      await harness.arrival("insists", ({ crec }) => crec.offset === 2);
    });

    it("waits longer after each attempt where no delay is given", async () => {
      await harness.deploy([
        [ackingNode({ id: "slower" }), 2],
        [ackNode({ id: "later", action: "retry", delay: "" }), 1],
      ]);
      for (const [attempt, least] of [
        [1, 995],
        [2, 1995],
      ] as const) {
        const msg = (await harness.arrived("slower", attempt)).at(-1);
        if (!msg) throw new Error("It has arrived.");
        const refusedAt = performance.now();
        await acknowledge(msg, "later");
        await harness.arrived("slower", attempt + 1);
        const waited = performance.now() - refusedAt;
        // A fixed delay of 10 s is what another field's default would be.
        should(waited).be.within(least, 9_000);
      }
    });

    it("has it come again at once with a delay of 0, and later where none is given", async () => {
      await harness.deploy([
        [ackingNode({ id: "mixed", inFlight: "2" }), 2],
        [ackNode({ id: "at-once", action: "retry", delay: "0" }), 1],
        [ackNode({ id: "later", action: "retry", delay: "" }), 1],
      ]);
      const [first, second] = await harness.arrived("mixed", 2);
      if (!first || !second) throw new Error("They have arrived.");
      await acknowledge(first, "later");
      await acknowledge(second, "at-once");
      const third = (await harness.arrived("mixed", 3)).at(-1);
      if (third) await acknowledge(third, "at-once");
      const offsets = offsetsOf(await harness.arrived("mixed", 4));
      should(offsets).deepEqual([1, 2, 2, 2]);
    });

    it("with a delay that is none is an error, and nothing happens to the event", async () => {
      await harness.deploy([
        [ackingNode({ id: "unmoved" }), 2],
        [ackNode({ id: "soon", action: "retry", delay: "soon" }), 1],
        [does, 1],
      ]);
      const [msg] = await harness.arrived("unmoved", 1);
      if (!msg) throw new Error("It has arrived.");
      const { error } = await refuse(harness.nodeRed, "soon", msg as Message);
      should(error).have.property("code", "INVALID_FIELD");
      await acknowledge(msg);
      const [, second] = await harness.arrived("unmoved", 2);
      should(second?.crec.offset).equal(2);
    });
  });

  describe("doing neither", () => {
    it("has the event come again, counted and marked, then leave by the rejected port; then the next", async () => {
      await harness.deploy([[ackingNode({ id: "ignored", ackTimeout: "0.3", attempts: "3" }), 2]]);
      await harness.nodeRed.status("ignored", "waiting for 1 ack");
      const [rejected] = await harness.arrived("ignored", 1, 1);
      const attempts = harness.arrivals("ignored").filter(({ crec }) => crec.offset === 1);
      should(attempts.map(({ crec }) => [crec.attempt, crec.redelivered])).deepEqual([
        [undefined, undefined],
        [2, true],
        [3, true],
      ]);
      should(rejected?.crec).have.properties({ offset: 1, attempt: 3 });
      should(rejected?.crec.rejection).equal("It was sent 3 times and not acknowledged within 0.3 s.");
      const next = await harness.arrival("ignored", ({ crec }) => crec.offset === 2);
      should(next.crec).not.have.any.keys("attempt", "redelivered");
    });

    it("is all there is to do where events count as done when they are sent", async () => {
      await harness.deploy([
        [eventsInNode({ id: "sends", verify: false }), 2],
        [does, 1],
      ]);
      const all = await harness.arrived("sends", EVENTS);
      for (const { crec } of all) should(crec).have.keys(...ON_SEND);
      for (const { crec } of all) should(Object.keys(crec)).have.length(ON_SEND.length);
      const [msg] = all;
      if (msg) await acknowledge(msg);
      should(harness.nodeRed.statuses("does-ack").at(-1)).have.property("code", "settled");
    });
  });
});
