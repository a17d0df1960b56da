import should from "should";
import registerAck from "../../../nodes/ack/node.ts";
import { catchNodes, configNodes, helper, localService, nextMessage, runtime, settings } from "./support.ts";

helper.init(runtime, settings);

describe("ack node", () => {
  before(() => helper.startServer());
  after(() => helper.stopServer());
  afterEach(() => helper.unload());

  const nodes = [...configNodes, registerAck];
  const tab = { id: "tab", type: "tab" };
  const out = { id: "out", type: "helper", z: "tab", wires: [] };

  it("loads and closes", async () => {
    await helper.load(nodes, [{ id: "n1", type: "crec-ack", name: "mine" }]);
    should(helper.getNode("n1")).have.property("name", "mine");
    await helper.unload();
    should(helper.getNode("n1")).not.be.ok();
  });

  it("acknowledges by default, and sends the message on", async () => {
    const { flow, credentials } = await localService();
    const n1 = { id: "n1", type: "crec-ack", z: "tab", name: "ack", wires: [["out"]] };
    await helper.load(nodes, [tab, ...flow, n1, out], credentials);
    const sent = nextMessage("out");
    helper
      .getNode("n1")
      .receive({ topic: "mine", crec: { eventId: "00000000-0000-4000-8000-000000000000" } });
    const sentMsg = await sent;
    should(sentMsg).have.property("topic", "mine");
  });

  it("lets an alert without an event pass", async () => {
    const n1 = { id: "n1", type: "crec-ack", z: "tab", wires: [["out"]] };
    await helper.load(nodes, [tab, n1, out]);
    const sent = nextMessage("out");
    helper.getNode("n1").receive({ topic: "mine", crec: { alert: { kind: "alert", reminder: 1 } } });
    should(await sent).have.property("topic", "mine");
  });

  it("passes an error to Catch, also of what an alert let pass without its event", async () => {
    const n1 = { id: "n1", type: "crec-ack", z: "tab", wires: [[]] };
    await helper.load(nodes, [tab, n1, ...catchNodes]);
    const wrong = [undefined, { alert: { passed: "no_match" } }, { alert: { kind: "alert" }, eventId: 7 }];
    for (const crec of wrong) {
      const caught = nextMessage("caught");
      helper.getNode("n1").receive({ topic: "mine", ...(crec && { crec }) });
      const { topic, error } = await caught;
      should(topic).equal("mine");
      should(error?.message).match(/^[A-Z].*\.$/s);
      should(error?.source).have.property("id", "n1");
    }
  });
});
