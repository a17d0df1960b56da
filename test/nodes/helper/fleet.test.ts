import should from "should";
import type { FleetNode } from "../../../nodes/common/fleet/fleet.ts";
import { NODE } from "../../../nodes/fleet/fields.ts";
import registerFleet from "../../../nodes/fleet/node.ts";
import { configNodes, helper, runtime, settings } from "./support.ts";

helper.init(runtime, settings);

describe("fleet node", () => {
  before(() => helper.startServer());
  after(() => helper.stopServer());
  afterEach(() => helper.unload());
  const nodes = [...configNodes, registerFleet];

  it("loads and closes", async () => {
    await helper.load(nodes, [{ id: "n1", type: "crec-fleet", name: "mine" }]);
    should(helper.getNode("n1")).have.property("name", "mine");
    await helper.unload();
    should(helper.getNode("n1")).not.be.ok();
  });

  it("takes the lease of its form by default", async () => {
    const url = "redis://127.0.0.1:6379";
    await helper.load(nodes, [{ id: "n1", type: "crec-fleet" }], { n1: { url } });
    const { fleet } = helper.getNode("n1") as FleetNode;
    should(fleet.problem).be.undefined();
    should(fleet.settings.leaseMs).equal(Number(NODE.fields.lease.default) * 1000);
  });

  it("says that its URL is missing", async () => {
    await helper.load(nodes, [{ id: "n1", type: "crec-fleet" }]);
    should((helper.getNode("n1") as FleetNode).fleet.problem).have.property("code");
  });
});
