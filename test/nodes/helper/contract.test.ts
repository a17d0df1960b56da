import should from "should";
import type { ContractNode } from "../../../nodes/common/fields/config-nodes.ts";
import { configNodes, helper, localService, runtime, settings } from "./support.ts";

helper.init(runtime, settings);

describe("contract node", () => {
  before(() => helper.startServer());
  after(() => helper.stopServer());
  afterEach(() => helper.unload());
  const nodes = configNodes;

  it("loads and closes", async () => {
    await helper.load(nodes, [{ id: "n1", type: "crec-contract", name: "mine" }]);
    should(helper.getNode("n1")).have.property("name", "mine");
    await helper.unload();
    should(helper.getNode("n1")).not.be.ok();
  });

  it("gives its address and ABI, by default without decimals", async () => {
    const { ready, flow, credentials } = await localService();
    await helper.load(nodes, flow, credentials);
    const { contract } = helper.getNode("contract") as ContractNode;
    should(contract).have.properties({ address: ready.contracts.DemoToken, decimals: undefined });
    should(await contract.abi()).be.an.Object();
  });

  it("uses what of its ABI can be used", async () => {
    const abi = "event Good(uint256 a)\nfunction phase(Lib.E e)\nevent Order((uint256 x, () y) o)";
    await helper.load(nodes, [{ id: "n1", type: "crec-contract", abi }]);
    const { contract } = helper.getNode("n1") as ContractNode;
    should((await contract.abi()).map(({ name }) => name)).eql(["Good"]);
  });

  it("says that its address is missing", async () => {
    await helper.load(nodes, [{ id: "n1", type: "crec-contract", chainSelector: "1" }]);
    should((helper.getNode("n1") as ContractNode).contract.problem).have.property("code");
  });
});
