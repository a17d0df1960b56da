import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import should from "should";
import { EventHarness } from "../support/event-harness.ts";
import { functionNode } from "../support/flow-harness.ts";
import type { FlowNode } from "../support/node-red.ts";
import { ALL_NODES } from "../support/node-red.ts";
import { eventsInNode } from "../support/nodes.ts";
import { node, slow, slowFlows, TAB } from "../support/slow-flows.ts";

/** Nodes that do not report what they complete. */
const ODD_NODES = fileURLToPath(new URL("odd-nodes-settings.cjs", import.meta.url));
const EVENTS = 40;
const SLOW_MS = 300;

const shows = (id: string): FlowNode =>
  node(id, "debug", { name: id, active: true, tosidebar: true, complete: "true", targetType: "full" }, []);

/** These say that they are done before they are. */
const early: Record<string, FlowNode[]> = {
  trigger: [
    node("first", "trigger", {
      ...{
        op1: "",
        op1type: "nul",
        op2: "later",
        op2type: "str",
        duration: "0.3",
        units: "s",
        extend: false,
      },
    }),
  ],
  "a timer in a function": [
    functionNode("first", `setTimeout(() => node.send(msg), ${SLOW_MS}); return;`, ["out"]),
  ],
  "a node that never says when it is done": [node("first", "odd-silent")],
};

describe("events in that waits until the flow has completed its messages", function () {
  this.timeout(120_000);
  let harness: EventHarness;
  let server: Server;
  let url: string;

  before(async () => {
    harness = await EventHarness.start(EVENTS, { settings: ODD_NODES, define: [ALL_NODES] });
    server = createServer((_request, response) => setTimeout(() => response.end("slow"), SLOW_MS));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  after(async () => {
    await new Promise((resolve) => server?.close(resolve));
    await harness?.close();
  });

  const reader = (properties: Partial<FlowNode> = {}): FlowNode =>
    eventsInNode({
      ...{
        id: "reader",
        z: TAB,
        x: 1,
        y: 1,
        verify: false,
        commit: "on-complete",
        inFlight: "1",
        attempts: "2",
      },
      wires: [["in", "first"], ["rejected"]],
      ...properties,
    });
  const deploy = (flow: FlowNode[], properties: Partial<FlowNode> = {}) =>
    harness.nodeRed.deploy([
      { id: TAB, type: "tab", label: "work" },
      ...harness.config(),
      reader(properties),
      ...flow,
      ...["in", "out", "rejected"].map(shows),
    ]);
  /** Which came in and went out, from this deploy on, once so many have gone out. */
  const course = async (out: number): Promise<string[]> => {
    const all = () => harness.nodeRed.shown().filter(({ name }) => name === "in" || name === "out");
    const before = harness.nodeRed.shown("out").length;
    await harness.nodeRed.shows(() => harness.nodeRed.shown("out").length >= before + out);
    return all().map(({ name }) => name);
  };
  afterEach(() => harness.nodeRed.clear());

  for (const kind of Object.keys(slowFlows("", SLOW_MS))) {
    it(`hands the next event over once this is through: ${kind}`, async () => {
      await deploy(slowFlows(url, SLOW_MS)[kind] ?? []);
      const isRepeated = kind === "an error that Catch takes";
      const once = isRepeated ? ["in", "in", "out"] : ["in", "out"];
      should((await course(3)).slice(0, once.length * 3)).deepEqual([...once, ...once, ...once]);
    });
  }

  for (const kind of Object.keys(early)) {
    it(`does not wait for what reports too early: ${kind}`, async () => {
      await deploy(early[kind] ?? []);
      should((await course(1)).slice(0, 3)).deepEqual(["in", "in", "in"]);
    });
  }

  it("does not take for completed what a node throws away when it is deployed anew", async () => {
    const flow = [slow("first", SLOW_MS)].map((one) => ({ ...one, timeout: "2000" }));
    await deploy(flow, { consumer: "deployed" });
    await harness.nodeRed.shows(() => harness.nodeRed.shown("in").length >= 1);
    const changed = flow.map((one) => ({ ...one, timeout: "100" }));
    await harness.nodeRed.deploy(
      [
        { id: TAB, type: "tab", label: "work" },
        ...harness.config(),
        reader({ consumer: "deployed" }),
        ...changed,
        ...["in", "out", "rejected"].map(shows),
      ],
      "nodes",
    );
    await harness.nodeRed.shows(() => harness.nodeRed.shown("out").length >= 3);
    const offsets = harness.nodeRed
      .shown("out")
      .map(({ value }) => (value as { crec: { offset: number } }).crec.offset);
    should(offsets.slice(0, 3)).deepEqual([1, 2, 3]);
  });

  const joining = {
    join: node("joins", "join", {
      ...{ mode: "custom", count: "3", build: "array", property: "crec.offset", propertyType: "msg" },
      wires: [["slow"]],
    }),
    "join by an expression": node("joins", "join", {
      ...{ mode: "reduce", reduceExp: "$A + 1", reduceInit: "0", reduceInitType: "num" },
      wires: [["slow"]],
    }),
    "a function that calls done for several": functionNode(
      "joins",
      `const held = context.get('held') ?? []; context.set('held', held); held.push(() => node.done());
       if (held.length < 3) return;
       node.send({ made: "anew" });
       for (const done of held.splice(0)) done();
       return;`,
      ["slow"],
    ),
  };
  for (const [kind, joins] of Object.entries(joining)) {
    it(`takes joined events for completed once their one message is: ${kind}`, async () => {
      const parts =
        "msg.parts = { id: Math.ceil(msg.crec.offset / 3), index: msg.crec.offset % 3, count: 3 }; return msg;";
      await deploy([functionNode("first", parts, ["joins"]), joins, slow("slow", SLOW_MS)], {
        inFlight: "3",
      });
      const once = ["in", "in", "in", "out"];
      should((await course(3)).slice(0, 12)).deepEqual([...once, ...once, ...once]);
    });
  }

  it("takes an event for completed that only flushes a delay at the end of the flow", async () => {
    const route =
      "if (msg.crec.offset % 2) return [msg, null]; return [null, { _msgid: msg._msgid, flush: true }];";
    const held = node("held", "delay", { pauseType: "delay", timeout: "60", timeoutUnits: "seconds" }, [
      "slow",
    ]);
    const first = { ...functionNode("first", route, ["held"]), outputs: 2, wires: [["held"], ["held"]] };
    await deploy([first, held, slow("slow", 2000)], { inFlight: "2" });
    // The second event has flushed the first, which is still at work: the third comes meanwhile.
    should((await course(1)).slice(0, 4)).deepEqual(["in", "in", "in", "out"]);
  });

  it("follows a message object that a node sends again and again", async () => {
    const template =
      "const one = context.get('one') ?? { made: 'once' }; context.set('one', one); node.send(one, false); return;";
    await deploy([functionNode("first", template, ["slow"]), slow("slow", SLOW_MS)]);
    should((await course(3)).slice(0, 6)).deepEqual(["in", "out", "in", "out", "in", "out"]);
  });

  it("gives an event up after so many attempts, and says what failed", async () => {
    await deploy([functionNode("first", "throw new Error('the pump is off');", ["out"])]);
    const { value } = await harness.nodeRed.showing("rejected");
    should((value as { crec: { rejection: string } }).crec.rejection).match(
      /^It was sent 2 times and refused, the last time because: .*the pump is off/,
    );
  });

  const unheard: Record<string, FlowNode> = {
    "a function that never says it is done": functionNode("first", "if (false) node.done(); return;", [
      "out",
    ]),
    "a node that throws out of its handler": node("first", "odd-throws"),
  };
  for (const kind of Object.keys(unheard)) {
    it(`sends an event again, then gives it up, when nothing is heard of it in time: ${kind}`, async () => {
      await deploy([unheard[kind] ?? slow("first", SLOW_MS)], { ackTimeout: "0.5" });
      const { value } = await harness.nodeRed.showing("rejected");
      should((value as { crec: { rejection: string } }).crec.rejection).match(
        /^It was sent 2 times and not ackn/,
      );
      should(harness.nodeRed.shown("in").length).be.within(2, 3);
    });
  }
});

describe("events in that counts an event as done when it was sent", function () {
  this.timeout(120_000);
  let harness: EventHarness;

  before(async () => {
    harness = await EventHarness.start(EVENTS);
  });
  after(() => harness?.close());
  afterEach(() => harness.nodeRed.clear());

  const deploy = (flow: FlowNode[]) =>
    harness.nodeRed.deploy([
      { id: TAB, type: "tab", label: "window" },
      ...harness.config(),
      eventsInNode({
        ...{ id: "reader", z: TAB, x: 1, y: 1, verify: false, commit: "on-send", unfinished: "10" },
        wires: [["in", "first"], []],
      }),
      ...flow,
      ...["in", "out"].map(shows),
    ]);

  it("has no more messages in the flow than it may, and says so", async () => {
    await deploy([
      node("first", "delay", {
        ...{ pauseType: "rate", rate: "20", nbRateUnits: "1", rateUnits: "second", drop: false },
      }),
    ]);
    await harness.nodeRed.status("reader", /^10 in flight$|events-in.status.in-flow/);
    await harness.nodeRed.shows(() => harness.nodeRed.shown("out").length === EVENTS);
    let [most, open] = [0, 0];
    for (const { name } of harness.nodeRed.shown()) {
      open += name === "in" ? 1 : -1;
      most = Math.max(most, open);
    }
    // One leaves before its debug message does.
    should(most).be.within(9, 11);
  });

  it("lets more in when the flow reports nothing for ten seconds, and says so once", async () => {
    await deploy([functionNode("first", "if (false) node.done(); return;", ["out"])]);
    await harness.nodeRed.shows(() => harness.nodeRed.shown("in").length >= 10);
    const told = () =>
      harness.nodeRed.log.match(/No node behind this one has reported|events-in.warning.silent-flow/g) ?? [];
    should(told()).be.empty();
    await harness.nodeRed.shows(() => harness.nodeRed.shown("in").length >= 30);
    should(told()).have.length(1);
  });
});
