import should from "should";
import { consumerShared } from "../../../plugins/monitor/issues/checks/readers.ts";
import { foundIn, node, reader, TAB } from "./scene.ts";

const events = (id: string, properties: Record<string, unknown> = {}) =>
  node("crec-events-in", id, { consumer: "payments", ...properties });

describe("the check for two readers with one consumer name", () => {
  it("finds the second one, and opens both", async () => {
    const nodes = [TAB, events("b"), events("a")];
    should(await foundIn(consumerShared, { nodes })).deepEqual(["two-nodes b a"]);
  });

  it("names the one that does not read", async () => {
    const nodes = [TAB, events("b"), events("a")];
    should(await foundIn(consumerShared, { nodes, running: { b: reader() } })).deepEqual(["two-nodes a b"]);
  });

  it("finds nothing where the names or the places of their cursors differ", async () => {
    const others = [events("b", { consumer: "orders" }), events("c", { store: "disk" })];
    should(
      await foundIn(consumerShared, { nodes: [TAB, events("a"), ...others, events("d", { fleet: "f" })] }),
    ).be.empty();
  });

  it("finds a subflow whose uses share a name, unless each has its own", async () => {
    const uses = [{ id: "s", type: "subflow" }, node("subflow:s", "one"), node("subflow:s", "two")];
    const inside = (consumer: string) => events("a", { z: "s", consumer });
    should(await foundIn(consumerShared, { nodes: [TAB, ...uses, inside("payments")] })).deepEqual([
      "subflow a",
    ]);
    should(await foundIn(consumerShared, { nodes: [TAB, ...uses, inside("${NAME}")] })).be.empty();
  });

  it("compares what variables stand for", async () => {
    const nodes = [TAB, events("a"), events("b", { consumer: "${NAME}" })];
    const running = { b: {} };
    should(await foundIn(consumerShared, { nodes, running, env: { NAME: "payments" } })).have.length(1);
    should(await foundIn(consumerShared, { nodes, running, env: { NAME: "orders" } })).be.empty();
  });
});
