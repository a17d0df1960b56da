import should from "should";
import type { FlowNode } from "../../../nodes/common/flows/flows.ts";
import { flowCompletion } from "../../../plugins/monitor/issues/checks/flow-completion.ts";
import { foundIn, node, TAB } from "./scene.ts";

const to = { wires: [["out"]] };
const reads = (more: Record<string, unknown>) =>
  node("crec-events-in", "events", { wires: [["first"], [], []], ...more });
const find = (more: Record<string, unknown>, nodes: readonly FlowNode[], running: object = {}) =>
  foundIn(flowCompletion, {
    nodes: [TAB, reads(more), ...nodes, node("debug", "out")],
    running: { ...running },
  });

const TIMER = "setTimeout(() => node.send(msg), 5000); return;";

describe("the check for nodes that do not fit when an event is done", () => {
  it("names nodes that report before they have finished", async () => {
    for (const commit of ["on-send", "on-complete"]) {
      const early = ["early first events"];
      should(await find({ commit }, [node("trigger", "first", to)])).deepEqual(early);
      should(await find({ commit }, [node("function", "first", { func: TIMER, ...to })])).deepEqual(early);
      const silent = { first: { _expectedDoneCount: 0 } };
      should(await find({ commit }, [node("other", "first", to)], silent)).deepEqual(early);
      const sequences = { repair: true, rules: [{ t: "else" }], ...to };
      should(await find({ commit }, [node("switch", "first", sequences)])).deepEqual(early);
    }
  });

  it("names none that report in time, that send nothing on, or that ack event waits for", async () => {
    const reporting = { first: { _expectedDoneCount: 1 } };
    const silent = { first: { _expectedDoneCount: 0 } };
    const done = TIMER.replace("5000", "5000); node.done(");
    should(await find({ commit: "on-send" }, [node("other", "first", to)], reporting)).be.empty();
    should(await find({ commit: "on-send" }, [node("switch", "first", to)], silent)).be.empty();
    should(await find({ commit: "on-send" }, [node("other", "first")], silent)).be.empty();
    should(await find({ commit: "on-send" }, [node("function", "first", { func: done, ...to })])).be.empty();
    const awaits = "await new Promise((ready) => setTimeout(ready, 1000)); return msg;";
    should(
      await find({ commit: "on-send" }, [node("function", "first", { func: awaits, ...to })]),
    ).be.empty();
    const subflow = [
      node("subflow:template", "first", to),
      { id: "template", type: "subflow", in: [], out: [] },
    ];
    should(await find({ commit: "on-send" }, subflow, silent)).be.empty();
    const acked = [node("trigger", "first", { wires: [["ack"]] }), node("crec-ack", "ack")];
    should(await find({ commit: "on-ack" }, acked)).be.empty();
  });

  it("names a join or batch of more than Max in flight", async () => {
    const join = (count: string) => [node("join", "first", { mode: "custom", count, ...to })];
    should(await find({ commit: "on-complete", inFlight: "4" }, join("5"))).deepEqual([
      "too-many first events",
    ]);
    should(await find({ commit: "on-complete", inFlight: "5" }, join("5"))).be.empty();
    const batch = node("batch", "first", { mode: "count", count: "2", ...to });
    should(await find({ commit: "on-complete", inFlight: "1" }, [batch])).deepEqual([
      "too-many first events",
    ]);
    should(await find({ commit: "on-send" }, [batch])).be.empty();
  });

  it("names what holds a message for longer than Ack timeout, behind links too", async () => {
    const delay = (timeout: string, more = {}) =>
      node("delay", "delay", { pauseType: "delay", timeout, timeoutUnits: "minutes", ...to, ...more });
    const linked = [
      node("link out", "first", { mode: "link", links: ["there"] }),
      node("link in", "there", { wires: [["delay"]] }),
      delay("2"),
    ];
    const slow = ["too-slow delay events"];
    should(await find({ commit: "on-complete", ackTimeout: "60" }, linked)).deepEqual(slow);
    should(await find({ commit: "on-complete", ackTimeout: "121" }, linked)).be.empty();
    const quick = [node("function", "first", { func: "return msg;", ...to })];
    should(await find({ commit: "on-complete", ackTimeout: "", inFlight: "" }, quick)).be.empty();
    const random = { pauseType: "random", randomLast: "2", randomUnits: "minutes", ...to };
    should(await find({ commit: "on-complete" }, [node("delay", "first", random)])).deepEqual([
      "too-slow first events",
    ]);
    const acked = [
      node("function", "first", { func: "return msg;", wires: [["delay", "ack"]] }),
      delay("2"),
      node("crec-ack", "ack"),
    ];
    should(await find({ commit: "on-ack" }, acked)).be.empty();
    const before = [
      node("junction", "first", { wires: [["delay"]] }),
      delay("2", { wires: [["ack"]] }),
      node("crec-ack", "ack"),
    ];
    should(await find({ commit: "on-ack" }, before)).deepEqual(slow);
    const rate = { pauseType: "rate", rate: "1", nbRateUnits: "30", rateUnits: "second" };
    const limited = [node("delay", "first", { ...rate, ...to })];
    should(await find({ commit: "on-complete", inFlight: "3" }, limited)).deepEqual([
      "too-slow first events",
    ]);
    should(await find({ commit: "on-complete", inFlight: "2" }, limited)).be.empty();
    const named = async (type: string, fields: object, inFlight = "3") =>
      (await find({ commit: "on-complete", inFlight }, [node(type, "first", { ...fields, ...to })])).length >
      0;
    should(await named("delay", { ...rate, drop: true })).be.false();
    // By topics: one at each interval, or all of them.
    should(await named("delay", { ...rate, pauseType: "queue" })).be.true();
    should(await named("delay", { ...rate, pauseType: "queue" }, "2")).be.false();
    should(await named("delay", { ...rate, pauseType: "timed" })).be.false();
    should(await named("delay", { ...rate, pauseType: "timed", nbRateUnits: "61" })).be.true();
    should(await named("delay", { ...rate, pauseType: "burst", nbRateUnits: "61" })).be.false();
    should(await named("delay", { pauseType: "delayv", timeout: "2", timeoutUnits: "minutes" })).be.true();
    // Seconds, as an old flow may not say.
    should(await named("delay", { pauseType: "delay", timeout: "61" })).be.true();
    should(await named("batch", { mode: "interval", interval: "61" })).be.true();
    should(await named("batch", { mode: "interval", interval: "60" })).be.false();
    should(await named("batch", { mode: "count", count: "1", interval: "61" })).be.false();
    should(await named("join", { mode: "custom", count: "2", timeout: "61" })).be.true();
    should(await named("join", { mode: "auto", timeout: "61" })).be.false();
    // What Catch hands on has failed already.
    const caught = [
      node("function", "first", { func: "return msg;" }),
      node("catch", "catch", { wires: [["delay"]] }),
      delay("2"),
    ];
    should(await find({ commit: "on-complete" }, caught)).be.empty();
    const waiting = [node("crec-operation", "first", { action: "wait", timeout: "300", ...to })];
    should(await find({ commit: "on-complete" }, waiting)).deepEqual(["too-slow first events"]);
  });

  it("names a node that has not reported what it was given", async () => {
    const consumer = { state: { kind: "connected" } };
    const running = { events: { reader: { consumer, outputs: { silentNodes: ["first", "of a subflow"] } } } };
    const quick = [node("function", "first", { func: "return;", ...to })];
    should(await find({ commit: "on-send" }, quick, running)).deepEqual([
      "silent first first",
      "silent events of a subflow",
    ]);
  });

  it("names an event that was sent for the third time, with what failed", async () => {
    const reader = (repeating: object) => ({
      reader: { consumer: { state: { kind: "connected", repeating } } },
    });
    const at = (repeating: object) => find({ commit: "on-complete" }, [], { events: reader(repeating) });
    should(await at({ attempt: 2, offset: 7, reason: "it is off" })).be.empty();
    should(await at({ attempt: 3, offset: 7, reason: "it is off" })).deepEqual(["failing events events"]);
  });
});
