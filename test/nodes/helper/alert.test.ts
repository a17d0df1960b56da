import should from "should";
import registerAlert from "../../../nodes/alert/node.ts";
import { catchNodes, configNodes, helper, localService, nextMessage, runtime, settings } from "./support.ts";

helper.init(runtime, settings);

describe("alert node", () => {
  before(() => helper.startServer());
  after(() => helper.stopServer());
  afterEach(() => helper.unload());

  const nodes = [...configNodes, registerAlert];
  const tab = { id: "tab", type: "tab" };
  const out = { id: "out", type: "helper", z: "tab", wires: [] };

  it("loads and closes", async () => {
    await helper.load(nodes, [{ id: "n1", type: "crec-alert", name: "mine" }]);
    should(helper.getNode("n1")).have.property("name", "mine");
    await helper.unload();
    should(helper.getNode("n1")).not.be.ok();
  });

  it("alerts on each message by default, as a warning", async () => {
    const { flow, credentials } = await localService();
    const n1 = { id: "n1", type: "crec-alert", z: "tab", name: "alert", wires: [["out"]] };
    await helper.load(nodes, [tab, ...flow, n1, out], credentials);
    const sent = nextMessage("out");
    helper.getNode("n1").receive({ topic: "mine" });
    const sentMsg = await sent;
    should(sentMsg).have.property("topic");
    should(JSON.stringify(sentMsg)).match(/"warning"/);
  });

  it("passes an error to Catch", async () => {
    const n1 = { id: "n1", type: "crec-alert", z: "tab", when: "sum", wires: [[]] };
    await helper.load(nodes, [tab, n1, ...catchNodes]);
    const caught = nextMessage("caught");
    helper.getNode("n1").receive({ topic: "mine" });
    const { topic, error } = await caught;
    should(topic).equal("mine");
    should(error?.message).equal("common.error.empty");
    should(error?.source).have.property("id", "n1");
  });
});
