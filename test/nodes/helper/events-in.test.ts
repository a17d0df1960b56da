import should from "should";
import registerAlert from "../../../nodes/alert/node.ts";
import registerEventsIn from "../../../nodes/events-in/node.ts";
import registerRunQuery from "../../../nodes/run-query/node.ts";
import registerVerifyEvent from "../../../nodes/verify-event/node.ts";
import { eventually } from "../../support/eventually.ts";
import { catchNodes, configNodes, helper, localService, nextMessage, runtime, settings } from "./support.ts";

helper.init(runtime, settings);

describe("events in node", () => {
  before(() => helper.startServer());
  after(() => helper.stopServer());
  afterEach(() => helper.unload());

  const nodes = [...configNodes, registerEventsIn];
  const tab = { id: "tab", type: "tab" };
  const out = { id: "out", type: "helper", z: "tab", wires: [] };

  it("loads and closes", async () => {
    await helper.load(nodes, [{ id: "n1", type: "crec-events-in", name: "mine" }]);
    should(helper.getNode("n1")).have.property("name", "mine");
    await helper.unload();
    should(helper.getNode("n1")).not.be.ok();
  });

  it("sends an event", async () => {
    const { ready, flow, credentials } = await localService();
    const n1 = {
      id: "n1",
      type: "crec-events-in",
      z: "tab",
      channel: "channel",
      consumer: "c1",
      start: "beginning",
    };
    const query = { id: "query", type: "crec-run-query", z: "tab", channel: "channel", kind: "raw" };
    const to = { chainSelector: ready.chain_selector, to: ready.contracts.DemoToken, data: "0x18160ddd" };
    const wired = [
      { ...n1, wires: [["out"], [], []] },
      { ...query, ...to, wires: [[], []] },
    ];
    await helper.load([...nodes, registerRunQuery], [tab, ...flow, ...wired, out], credentials);
    const sent = nextMessage("out");
    helper.getNode("query").receive({});
    const sentMsg = await sent;
    should(sentMsg.crec?.verification).have.property("verified", true);
  });

  it("that is refused says so at the nodes behind it, also behind others", async () => {
    const { flow } = await localService();
    const ours = (id: string, type: string, to: string) => ({ id, type, z: "tab", wires: [[to], [], []] });
    const reader = { ...ours("n1", "crec-events-in", "verify"), channel: "channel", consumer: "refused" };
    const behind = [ours("verify", "crec-verify-event", "other"), ours("other", "helper", "alert")];
    const alert = { ...ours("alert", "crec-alert", "out"), wires: [["out"]] };
    const wrongKey = { connection: { apiKey: "wrong" } };
    const types = [...nodes, registerVerifyEvent, registerAlert];
    await helper.load(types, [tab, ...flow, reader, ...behind, alert, out], wrongKey);
    type Shown = { lastCall?: { args: unknown[] } };
    const shownAt = (id: string) => (helper.getNode(id).status as unknown as Shown).lastCall?.args[0];
    for (const id of ["verify", "alert"])
      await eventually("the status", () => (shownAt(id) as { code?: string })?.code === "reader-stopped");
    should(shownAt("alert")).match({ fill: "yellow" });
  });

  it("passes an error to Catch", async () => {
    const n1 = { id: "n1", type: "crec-events-in", z: "tab", wires: [[]] };
    await helper.load(nodes, [tab, n1, ...catchNodes]);
    const caught = nextMessage("caught");
    helper.getNode("n1").receive({ topic: "mine" });
    const { topic, error } = await caught;
    should(topic).equal("mine");
    should(error?.message).match(/^[A-Z].*\.$/s);
    should(error?.source).have.property("id", "n1");
  });
});
