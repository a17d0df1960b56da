import should from "should";
import { node, running, sceneOf, TAB } from "./scene.ts";

describe("the deployed flows, as the checks see them", () => {
  const ids = async (nodes: Parameters<typeof sceneOf>[0]["nodes"]) => {
    const { flows } = await sceneOf({ nodes });
    return [...flows.all()].map(({ id }) => id);
  };

  it("leave out what is disabled, and config nodes that only such nodes use", async () => {
    const off = { id: "off", type: "tab", disabled: true };
    const connections = ["used", "unused"].map((id) => ({ id, type: "crec-connection" }));
    const nodes = [
      ...[TAB, off, ...connections],
      ...[node("crec-api", "on", { connection: "used" }), node("debug", "disabled", { d: true })],
      node("crec-api", "hidden", { z: "off", connection: "unused" }),
    ];
    should(await ids(nodes)).deepEqual(["used", "on"]);
  });

  it("have a template's nodes only where the subflow is used, also within another one", async () => {
    const templates = ["outer", "inner"].map((id) => ({ id, type: "subflow" }));
    const inner = [node("debug", "deep", { z: "inner" }), node("subflow:inner", "in-outer", { z: "outer" })];
    should(await ids([TAB, ...templates, ...inner])).be.empty();
    const nodes = [TAB, ...templates, ...inner, node("subflow:outer", "a"), node("subflow:outer", "b")];
    should(await ids(nodes)).deepEqual(["deep", "in-outer", "a", "b"]);
    const { flows } = await sceneOf({ nodes });
    const deep = running(flows, "deep");
    should(flows.runningIds(deep)).deepEqual(["a-in-outer-deep", "b-in-outer-deep"]);
    should(flows.originOf(deep)).deepEqual({ node: "deep", flow: "tab", type: "debug", label: "debug" });
  });

  it("lead a message over links, into and out of subflows, and to what handles errors", async () => {
    const nodes = [
      ...[TAB, { id: "other", type: "tab" }],
      ...[node("inject", "start", { wires: [["out"]] }), node("link out", "out", { links: ["in"] })],
      node("link in", "in", { z: "other", wires: [["use"]] }),
      node("subflow:s", "use", { z: "other", wires: [["end"], ["unreached"]] }),
      {
        ...{ id: "s", type: "subflow", in: [{ wires: [{ id: "inside" }] }] },
        out: [{ wires: [{ id: "inside", port: 0 }] }, { wires: [{ id: "lonely", port: 0 }] }],
      },
      ...[node("function", "inside", { z: "s" }), node("function", "lonely", { z: "s" })],
      ...[node("debug", "end", { z: "other" }), node("debug", "unreached", { z: "other" })],
      ...[
        node("catch", "catch", { z: "other", wires: [["caught"]] }),
        node("debug", "caught", { z: "other" }),
      ],
    ];
    const { flows, paths } = await sceneOf({ nodes });
    const start = running(flows, "start");
    const reached = [...paths.reachable([start, 0])].map(({ id }) => id);
    should(reached.sort()).deepEqual(["catch", "caught", "end", "in", "inside", "out", "use"]);
  });

  it("lead a message to a link call, and back from what it calls", async () => {
    const nodes = [
      ...[TAB, node("inject", "start", { wires: [["call"]] })],
      node("link call", "call", { links: ["in"], wires: [["end"]] }),
      ...[node("link in", "in", { wires: [["return"]] }), node("link out", "return", { mode: "return" })],
      node("debug", "end"),
    ];
    const { flows, paths } = await sceneOf({ nodes });
    const start = running(flows, "start");
    const reached = [...paths.reachable([start, 0])].map(({ id }) => id);
    should(reached.sort()).deepEqual(["call", "end", "in", "return"]);
  });

  describe("from events in to nodes that they feed", () => {
    const to = (...ids: string[]) => ({ wires: [ids] });
    const reads = (id: string, ...ids: string[]) => node("crec-events-in", id, { wires: [ids, [], []] });
    const alert = (id: string, more: object = {}) => node("crec-alert", id, { ...more });
    const fed = async (...nodes: Parameters<typeof sceneOf>[0]["nodes"]) => {
      const { paths } = await sceneOf({ nodes: [TAB, { id: "other", type: "tab" }, ...nodes] });
      const found = await paths.feeding("crec-events-in", "crec-alert");
      return Object.fromEntries([...found].map(([id, from]) => [id, [...from].sort().join(" ")]));
    };

    it("lead by wires, junctions and links to other tabs, and past an alert", async () => {
      should(
        await fed(
          ...[reads("a", "join"), reads("b", "out"), reads("c")],
          ...[node("junction", "join", to("alert")), alert("alert", { wires: [[], [], ["behind"]] })],
          ...[
            node("link out", "out", { links: ["in"] }),
            node("link in", "in", { z: "other", ...to("far") }),
          ],
          ...[alert("far", { z: "other" }), alert("behind"), alert("unwired")],
        ),
      ).deepEqual({ alert: "a", behind: "a", far: "b" });
    });

    it("return from a link call to the one that called, and lead to what a Catch of the node hands on", async () => {
      const caught = (id: string, scope: unknown, next: string) => node("catch", id, { scope, ...to(next) });
      should(
        await fed(
          ...[reads("a", "call-a"), reads("b", "call-b")],
          ...[node("link call", "call-a", { links: ["in"], ...to("one") })],
          ...[node("link call", "call-b", { links: ["in"], ...to("two") })],
          ...[node("link in", "in", to("inner")), alert("inner", { wires: [[], [], ["return"]] })],
          ...[node("link out", "return", { mode: "return" }), alert("one"), alert("two")],
          ...[caught("catch-a", ["call-a"], "failed"), caught("catch-all", null, "any")],
          ...[alert("failed"), alert("any"), node("status", "status", to("state")), alert("state")],
        ),
      ).deepEqual({ inner: "a b", one: "a", two: "b", failed: "a", any: "a b" });
    });

    it("lead through each instance of a subflow for itself, also of one within another", async () => {
      const subflow = (id: string, inside: string, end: string) => ({
        ...{ id, type: "subflow", in: [{ wires: [{ id: inside }] }] },
        out: [{ wires: [{ id: end, port: 0 }] }],
      });
      should(
        await fed(
          ...[reads("a", "use-a"), reads("b", "use-b"), reads("c", "past")],
          ...[node("subflow:outer", "use-a", to("one")), node("subflow:outer", "use-b", to("two"))],
          ...[alert("one"), alert("two"), subflow("outer", "in", "nested")],
          ...[node("junction", "in", { z: "outer", ...to("nested") })],
          ...[node("subflow:inner", "nested", { z: "outer" }), subflow("inner", "alert", "alert")],
          ...[alert("alert", { z: "inner" }), node("subflow:wire", "past", to("three")), alert("three")],
          subflow("wire", "nowhere", "wire"),
          ...[node("subflow:own", "own-1"), node("subflow:own", "own-2")],
          { id: "own", type: "subflow", in: [], out: [] },
          ...[{ ...reads("source", "own-alert"), z: "own" }, alert("own-alert", { z: "own" })],
        ),
      ).deepEqual({
        one: "a",
        two: "b",
        three: "c",
        "use-a-nested-alert": "a",
        "use-b-nested-alert": "b",
        "own-1-own-alert": "own-1-source",
        "own-2-own-alert": "own-2-source",
      });
    });

    it("do not begin at a disabled node, nor lead through one, or through events in that is controlled", async () => {
      should(
        await fed(
          ...[{ ...reads("off", "alert"), d: true }, reads("a", "stopped"), reads("b", "alert")],
          ...[{ ...node("function", "stopped", to("alert")), d: true }, alert("alert")],
          reads("controls", "b"),
        ),
      ).deepEqual({ alert: "b" });
    });
  });
});
