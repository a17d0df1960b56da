import should from "should";
import registerAccount from "../../../nodes/account/node.ts";
import { catchNodes, configNodes, helper, localService, nextMessage, runtime, settings } from "./support.ts";

helper.init(runtime, settings);

describe("account node", () => {
  before(() => helper.startServer());
  after(() => helper.stopServer());
  afterEach(() => helper.unload());

  const nodes = [...configNodes, registerAccount];
  const tab = { id: "tab", type: "tab" };
  const out = { id: "out", type: "helper", z: "tab", wires: [] };

  it("loads and closes", async () => {
    await helper.load(nodes, [{ id: "n1", type: "crec-account", name: "mine" }]);
    should(helper.getNode("n1")).have.property("name", "mine");
    await helper.unload();
    should(helper.getNode("n1")).not.be.ok();
  });

  it("gets the account of the key by default", async () => {
    const { flow, credentials } = await localService();
    const n1 = { id: "n1", type: "crec-account", z: "tab", connection: "connection", wires: [["out"]] };
    await helper.load(nodes, [tab, ...flow, n1, out], credentials);
    const sent = nextMessage("out");
    helper.getNode("n1").receive({ topic: "mine" });
    const sentMsg = await sent;
    should(sentMsg).have.property("topic", "mine");
    should(sentMsg.payload).be.an.Object();
  });

  it("passes an error to Catch", async () => {
    const n1 = { id: "n1", type: "crec-account", z: "tab", wires: [[]] };
    await helper.load(nodes, [tab, n1, ...catchNodes]);
    const caught = nextMessage("caught");
    helper.getNode("n1").receive({ topic: "mine" });
    const { topic, error } = await caught;
    should(topic).equal("mine");
    should(error?.message).match(/^[A-Z].*\.$/s);
    should(error?.source).have.property("id", "n1");
  });
});
