import should from "should";
import registerRunQuery from "../../../nodes/run-query/node.ts";
import registerSearchEvents from "../../../nodes/search-events/node.ts";
import { catchNodes, configNodes, helper, localService, nextMessage, runtime, settings } from "./support.ts";

helper.init(runtime, settings);

describe("search events node", () => {
  before(() => helper.startServer());
  after(() => helper.stopServer());
  afterEach(() => helper.unload());

  const nodes = [...configNodes, registerSearchEvents];
  const tab = { id: "tab", type: "tab" };
  const out = { id: "out", type: "helper", z: "tab", wires: [] };

  it("loads and closes", async () => {
    await helper.load(nodes, [{ id: "n1", type: "crec-search-events", name: "mine" }]);
    should(helper.getNode("n1")).have.property("name", "mine");
    await helper.unload();
    should(helper.getNode("n1")).not.be.ok();
  });

  it("sends the events of all types by default", async () => {
    const { ready, flow, credentials } = await localService();
    const query = { id: "query", type: "crec-run-query", z: "tab", channel: "channel", kind: "raw" };
    const to = { chainSelector: ready.chain_selector, to: ready.contracts.DemoToken, data: "0x18160ddd" };
    const n1 = { id: "n1", type: "crec-search-events", z: "tab", channel: "channel", wires: [["out"]] };
    const wired = [{ ...query, ...to, wires: [["n1"], []] }, n1];
    await helper.load([...nodes, registerRunQuery], [tab, ...flow, ...wired, out], credentials);
    const sent = nextMessage("out");
    helper.getNode("query").receive({});
    const sentMsg = await sent;
    should(sentMsg.crec).have.property("eventId");
    should(sentMsg.parts).have.property("index", 0);
  });

  it("passes an error to Catch", async () => {
    const n1 = { id: "n1", type: "crec-search-events", z: "tab", wires: [[]] };
    await helper.load(nodes, [tab, n1, ...catchNodes]);
    const caught = nextMessage("caught");
    helper.getNode("n1").receive({ topic: "mine" });
    const { topic, error } = await caught;
    should(topic).equal("mine");
    should(error?.message).match(/^[A-Z].*\.$/s);
    should(error?.source).have.property("id", "n1");
  });
});
