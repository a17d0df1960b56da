import should from "should";
import type { FlowNode } from "../../../nodes/common/flows/flows.ts";
import { textComparison } from "../../../plugins/monitor/issues/checks/flows.ts";
import { foundIn, node, TAB } from "./scene.ts";

const events = node("crec-events-in", "events", { wires: [["switch"]] });
const compare = (rule: object, property = "payload.tokens.value") =>
  node("switch", "switch", { property, propertyType: "msg", rules: [rule] });
const find = (...nodes: FlowNode[]) =>
  foundIn(textComparison, {
    nodes: [TAB, ...nodes],
    running: { switch: {} },
    env: { LIMIT: "100", WORDS: "many" },
  });

describe("the check for amounts that are compared as text", () => {
  it("finds each comparison by order with a text that is a number", async () => {
    for (const t of ["lt", "lte", "gt", "gte"]) {
      const rule = { t, v: "100", vt: "str" };
      should(await find(events, compare(rule))).deepEqual(["order switch payload.tokens.value"]);
    }
    should(await find(events, compare({ t: "btwn", v: "1", vt: "num", v2: "9", v2t: "str" }))).have.length(1);
    should(await find(events, compare({ t: "gt", v: "LIMIT", vt: "env" }))).have.length(1);
    should(await find(events, compare({ t: "gt", v: "", vt: "prev" }))).have.length(1);
    const other = { t: "gt", v: "payload.params.least", vt: "msg" };
    should(await find(events, compare(other, "payload.params.value"))).have.length(1);
  });

  it("finds a number that is written as amounts never are", async () => {
    for (const v of ["1.50", "007", "100.0", "5."])
      should(await find(events, compare({ t: "eq", v, vt: "str" }))).deepEqual([
        "spelling switch payload.tokens.value",
      ]);
  });

  it("finds nothing where Switch compares numbers, or equal texts", async () => {
    for (const rule of [
      ...[
        { t: "gt", v: "100", vt: "num" },
        { t: "gt", v: "100" },
      ],
      ...[
        { t: "eq", v: "100", vt: "str" },
        { t: "eq", v: "0.5", vt: "str" },
        { t: "eq", v: "0", vt: "str" },
      ],
      ...[{ t: "gt", v: "WORDS", vt: "env" }, { t: "gt", v: "limit", vt: "flow" }, { t: "nempty" }],
    ])
      should(await find(events, compare(rule))).be.empty();
  });

  it("finds nothing in other properties, and behind nodes that may have made numbers of them", async () => {
    const rule = { t: "gt", v: "100", vt: "str" };
    should(await find(events, compare(rule, "payload.total"))).be.empty();
    should(await find(node("inject", "inject", { wires: [["switch"]] }), compare(rule))).be.empty();
    const made = node("function", "made", { wires: [["switch"]] });
    should(
      await find(node("crec-events-in", "events", { wires: [["made"]] }), made, compare(rule)),
    ).be.empty();
  });
});
