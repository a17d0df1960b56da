import should from "should";
import type { ConnectionNode } from "../../../nodes/common/fields/config-nodes.ts";
import { NODE } from "../../../nodes/connection/fields.ts";
import { configNodes, helper, runtime, settings } from "./support.ts";

helper.init(runtime, settings);

describe("connection node", () => {
  before(() => helper.startServer());
  after(() => helper.stopServer());
  afterEach(() => helper.unload());
  const nodes = configNodes;

  it("loads and closes", async () => {
    await helper.load(nodes, [{ id: "n1", type: "crec-connection", name: "mine" }]);
    should(helper.getNode("n1")).have.property("name", "mine");
    await helper.unload();
    should(helper.getNode("n1")).not.be.ok();
  });

  it("needs only a base URL and a key", async () => {
    const baseUrl = NODE.fields.baseUrl.default;
    await helper.load(nodes, [{ id: "n1", type: "crec-connection", baseUrl }], { n1: { apiKey: "any" } });
    const { connection } = helper.getNode("n1") as ConnectionNode;
    should(connection).have.properties({ baseUrl, problem: undefined, graphqlUrl: undefined });
  });

  it("says that its key is missing", async () => {
    await helper.load(nodes, [{ id: "n1", type: "crec-connection" }]);
    const { connection } = helper.getNode("n1") as ConnectionNode;
    should(connection.problem).have.property("code", "CONNECTION_INCOMPLETE");
  });

  it("names the quotation marks that a file of variables left around its base URL", async () => {
    const n1 = { id: "n1", type: "crec-connection", baseUrl: '"https://service.example/v1"' };
    await helper.load(nodes, [n1], { n1: { apiKey: "any" } });
    const { connection } = helper.getNode("n1") as ConnectionNode;
    should(connection.problem).match({ code: "CONNECTION_INCOMPLETE", message: /stands in quotation marks/ });
  });
});
