import should from "should";
import type { FlowNode } from "../../../nodes/common/flows/flows.ts";
import { ackUnreachable } from "../../../plugins/monitor/issues/checks/flows.ts";
import { foundIn, node, TAB } from "./scene.ts";

const events = (properties: Record<string, unknown>) =>
  node("crec-events-in", "events", { commit: "on-ack", ...properties });
const find = (...nodes: FlowNode[]) => foundIn(ackUnreachable, { nodes: [TAB, ...nodes] });

describe("the check for events that no ack event node gets", () => {
  it("finds a flow without one, and a node with nothing behind it", async () => {
    should(await find(events({ wires: [["end"]] }), node("debug", "end"))).deepEqual(["no-path events"]);
    should(await find(events({ wires: [[], ["end"]] }), node("debug", "end"))).deepEqual([
      "nothing-behind events",
    ]);
  });

  it("finds one that is disabled, or only behind the rejected events", async () => {
    const ack = node("crec-ack", "ack");
    should(await find(events({ wires: [["ack"]] }), { ...ack, d: true })).deepEqual(["disabled events ack"]);
    should(await find(events({ wires: [[], ["ack"]] }), ack)).deepEqual(["nothing-behind events"]);
  });

  it("names the disabled node that stops the events before one, and not where another way leads there", async () => {
    const off = { ...node("crec-alert", "large", { wires: [["ack"], [], ["ack"]] }), d: true };
    const nodes = [off, node("crec-ack", "ack")];
    const filter = node("switch", "filter", { wires: [["large"]] });
    should(await find(events({ wires: [["filter"]] }), filter, ...nodes)).eql(["disabled events large"]);
    const other = node("crec-alert", "other", { wires: [["ack"]] });
    should(await find(events({ wires: [["filter", "other"]] }), filter, other, ...nodes)).be.empty();
  });

  it("finds nothing where one is behind, also only after an error", async () => {
    const ack = node("crec-ack", "ack");
    const work = node("function", "work");
    should(await find(events({ wires: [["ack"]] }), ack)).be.empty();
    should(
      await find(events({ wires: [["work"]] }), work, node("catch", "catch", { wires: [["ack"]] }), ack),
    ).be.empty();
  });

  it("finds nothing where another way may lead to one: a queue, or a store", async () => {
    const nodes = [node("mqtt in", "queue", { wires: [["ack"]] }), node("crec-ack", "ack")];
    should(await find(events({ wires: [["out"]] }), node("mqtt out", "out"), ...nodes)).be.empty();
  });

  it("finds nothing where events are acknowledged otherwise", async () => {
    for (const commit of ["on-send", "on-complete", undefined])
      should(await find(events({ commit, wires: [[]] }))).be.empty();
  });
});
