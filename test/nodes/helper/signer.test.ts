import should from "should";
import type { SignerNode } from "../../../nodes/lib/runtime/config-nodes.ts";
import registerSigner from "../../../nodes/signer/signer.ts";
import { generatePrivateKey, localEcdsaSigner } from "../../../src/index.ts";
import { configNodes, helper, runtime, settings } from "./support.ts";

helper.init(runtime, settings);

describe("signer node", () => {
  before(() => helper.startServer());
  after(() => helper.stopServer());
  afterEach(() => helper.unload());
  const nodes = [...configNodes, registerSigner];

  it("loads and closes", async () => {
    await helper.load(nodes, [{ id: "n1", type: "crec-signer", name: "mine" }]);
    should(helper.getNode("n1")).have.property("name", "mine");
    await helper.unload();
    should(helper.getNode("n1")).not.be.ok();
  });

  it("signs with a local key by default, and gives its address", async () => {
    const privateKey = generatePrivateKey();
    await helper.load(nodes, [{ id: "n1", type: "crec-signer" }], { n1: { privateKey } });
    const { signer } = helper.getNode("n1") as SignerNode;
    should(await signer.knownAddress()).equal(localEcdsaSigner(privateKey).address);
  });

  it("says that its key is missing", async () => {
    await helper.load(nodes, [{ id: "n1", type: "crec-signer" }]);
    should((helper.getNode("n1") as SignerNode).signer.problem).have.property("code");
  });
});
