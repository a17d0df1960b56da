import should from "should";
import type { WalletNode } from "../../../nodes/common/fields/config-nodes.ts";
import registerWallet from "../../../nodes/wallet/node.ts";
import { sendJson, startServer } from "../../http/support.ts";
import { configNodes, helper, localService, runtime, settings } from "./support.ts";

helper.init(runtime, settings);

describe("wallet node", () => {
  before(() => helper.startServer());
  after(() => helper.stopServer());
  afterEach(() => helper.unload());
  const nodes = [...configNodes, registerWallet];

  it("loads and closes", async () => {
    await helper.load(nodes, [{ id: "n1", type: "crec-wallet", name: "mine" }]);
    should(helper.getNode("n1")).have.property("name", "mine");
    await helper.unload();
    should(helper.getNode("n1")).not.be.ok();
  });

  it("gives the address of its smart account, by default without a type and an owner", async () => {
    const { ready, flow, credentials } = await localService();
    const address = ready.contracts.DemoToken ?? "";
    const n1 = { id: "n1", type: "crec-wallet", connection: "connection", wallet: address };
    await helper.load(nodes, [...flow, { ...n1, chainSelector: ready.chain_selector }], credentials);
    const { wallet } = helper.getNode("n1") as WalletNode;
    should(wallet).have.properties({ problem: undefined, type: undefined, owner: undefined });
    should(await wallet.address(new AbortController().signal)).equal(address);
  });

  it("does not advise to wait for a wallet that failed, or to create one that another key has", async () => {
    const found = { wallet_id: "w", name: "savings", address: "", status: "failed" };
    const server = await startServer((request, response) =>
      sendJson(response, 200, { data: request.url?.includes("savings") ? [found] : [], has_more: false }),
    );
    const connection = { id: "elsewhere", type: "crec-connection", baseUrl: server.url };
    const wallets = ["savings", "gone"].map((wallet) => ({
      ...{ id: `n-${wallet}`, type: "crec-wallet", connection: "elsewhere", wallet, chainSelector: "1" },
    }));
    await helper.load(nodes, [connection, ...wallets], { elsewhere: { apiKey: "key" } });
    const errorOf = async (id: string) =>
      (helper.getNode(`n-${id}`) as WalletNode).wallet.address(new AbortController().signal).then(
        () => undefined,
        (error: Error) => error,
      );
    should(await errorOf("savings")).match({ code: "WALLET_FAILED", message: /never will be\. Create one/ });
    should(await errorOf("gone")).match({
      code: "WALLET_NOT_FOUND",
      message: /archived\. Check the name, .* key/,
    });
    await server.close();
  });

  it("says that its connection is missing", async () => {
    await helper.load(nodes, [{ id: "n1", type: "crec-wallet", chainSelector: "1", wallet: "savings" }]);
    const { wallet } = helper.getNode("n1") as WalletNode;
    should(wallet.problem).have.property("code", "CONNECTION_MISSING");
  });
});
