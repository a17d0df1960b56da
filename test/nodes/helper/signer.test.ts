import { createRequire } from "node:module";
import type { NodeAPI } from "node-red";
import should from "should";
import type { SignerNode } from "../../../nodes/common/fields/config-nodes.ts";
import registerSigner from "../../../nodes/signer/node.ts";
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

  it("says so of a key that Node-RED could not decrypt, until it is deployed again", async () => {
    const { events } = createRequire(runtime)("@node-red/util") as Pick<NodeAPI, "events">;
    const problem = async () => {
      await helper.load(nodes, [{ id: "n1", type: "crec-signer" }]);
      const { signer } = helper.getNode("n1") as SignerNode;
      await helper.unload();
      return signer.problem?.message;
    };
    await problem();
    events.emit("runtime-event", { id: "runtime-state", payload: { error: "credentials_load_failed" } });
    should(await problem()).match(
      /missing\. Node-RED could not decrypt its credentials .* before you deploy/,
    );
    for (const _ of [1, 2]) events.emit("runtime-event", { id: "runtime-deploy" });
    should(await problem()).match(/missing\. Open the signer/);
  });
});
