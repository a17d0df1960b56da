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
});
