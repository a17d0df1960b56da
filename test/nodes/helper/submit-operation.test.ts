import should from "should";
import registerManage from "../../../nodes/manage/node.ts";
import registerSigner from "../../../nodes/signer/node.ts";
import registerSubmitOperation from "../../../nodes/submit-operation/node.ts";
import registerWallet from "../../../nodes/wallet/node.ts";
import { generatePrivateKey } from "../../../src/index.ts";
import { catchNodes, configNodes, helper, localService, nextMessage, runtime, settings } from "./support.ts";

helper.init(runtime, settings);

describe("submit operation node", () => {
  before(() => helper.startServer());
  after(() => helper.stopServer());
  afterEach(() => helper.unload());

  const nodes = [...configNodes, registerSigner, registerWallet, registerManage, registerSubmitOperation];
  const tab = { id: "tab", type: "tab" };
  const out = { id: "out", type: "helper", z: "tab", wires: [] };

  it("loads and closes", async () => {
    await helper.load(nodes, [{ id: "n1", type: "crec-submit-operation", name: "mine" }]);
    should(helper.getNode("n1")).have.property("name", "mine");
    await helper.unload();
    should(helper.getNode("n1")).not.be.ok();
  });

  it("drafts an operation of a new wallet", async () => {
    const { ready, flow, credentials } = await localService();
    const signer = { id: "signer", type: "crec-signer" };
    const network = { connection: "connection", chainSelector: ready.chain_selector };
    const wallet = { id: "wallet", type: "crec-wallet", wallet: "savings", signer: "signer", ...network };
    const create = { id: "create", type: "crec-manage", z: "tab", action: "wallets.create-or-find" };
    const n1 = { id: "n1", type: "crec-submit-operation", z: "tab", channel: "channel", wallet: "wallet" };
    const draft = { ...n1, mode: "draft", source: "message", transactions: "calls", wires: [["out"], []] };
    const wired = [signer, wallet, { ...create, wallet: "wallet", wires: [["n1"]] }, draft, out];
    const keys = { ...credentials, signer: { privateKey: generatePrivateKey() } };
    await helper.load(nodes, [tab, ...flow, ...wired], keys);
    const sent = nextMessage("out");
    helper.getNode("create").receive({ calls: [{ to: ready.contracts.DemoToken, value: "0", data: "0x" }] });
    const { crec } = await sent;
    should(crec).have.property("operationId");
    should(crec).have.property("status", "pending_signature");
  });

  it("names all values that the message lacks at once", async () => {
    const { ready, flow, credentials } = await localService();
    const signer = { id: "signer", type: "crec-signer" };
    const network = { connection: "connection", chainSelector: ready.chain_selector };
    const wallet = { id: "wallet", type: "crec-wallet", wallet: "spending", signer: "signer", ...network };
    const create = { id: "create", type: "crec-manage", z: "tab", action: "wallets.create-or-find" };
    const args = ["to", "amount"].map((name) => ({ value: name, type: "msg" }));
    const call = { kind: "contract", contract: "contract", function: "transfer(address,uint256)", args };
    const n1 = { id: "n1", type: "crec-submit-operation", z: "tab", channel: "channel", wallet: "wallet" };
    const wired = [signer, wallet, { ...create, wallet: "wallet", wires: [["n1"]] }];
    const keys = { ...credentials, signer: { privateKey: generatePrivateKey() } };
    const sends = { ...n1, mode: "draft", calls: [call], wires: [[], []] };
    const abi = "function transfer(address to, uint256 value)";
    const config = flow.map((one) => (one.id === "contract" ? { ...one, abi } : one));
    await helper.load(nodes, [tab, ...config, ...wired, sends, ...catchNodes], keys);
    const caught = nextMessage("caught");
    helper.getNode("create").receive({});
    const { error } = await caught;
    should(error?.message).equal(
      "to and value are empty in call 1. Fill them in, in the form or the message.",
    );
  });

  it("passes an error to Catch", async () => {
    const n1 = { id: "n1", type: "crec-submit-operation", z: "tab", wires: [[]] };
    await helper.load(nodes, [tab, n1, ...catchNodes]);
    const caught = nextMessage("caught");
    helper.getNode("n1").receive({ topic: "mine" });
    const { topic, error } = await caught;
    should(topic).equal("mine");
    should(error?.message).match(/^[A-Z].*\.$/s);
    should(error?.source).have.property("id", "n1");
  });
});
