import should from "should";
import { walletState } from "../../../plugins/monitor/issues/checks/operations.ts";
import { found, node, resource, SERVICE, sceneOf, TAB } from "./scene.ts";

const KEY = "0xAb00000000000000000000000000000000000001";
const OTHER = "0xab00000000000000000000000000000000000002";
const nodes = [
  ...[TAB, { id: "wallet", type: "crec-wallet" }],
  node("crec-submit-operation", "submit", { wallet: "wallet" }),
];

describe("the check for wallets", () => {
  const scene = (signer: () => object = () => ({ knownAddress: async () => KEY })) => {
    const connection = () => ({ baseUrl: SERVICE });
    const wallet = { label: "treasury", chainSelector: "1", problem: undefined, connection, signer };
    return sceneOf({ nodes, running: { wallet: { wallet } } });
  };
  const report = (status: string) => resource({ name: "treasury", chainSelector: "1", status });
  const withStatus = async (status: string, signers?: string[], signer?: () => object) => {
    const made = await scene(signer);
    made.activity.wallets.set(report(status));
    if (signers) made.answers.signers.set("id", signers);
    return found(walletState, made);
  };

  it("finds one that is archived or failed", async () => {
    should(await withStatus("archived")).deepEqual(["archived wallet"]);
    should(await withStatus("failed")).deepEqual(["failed wallet"]);
  });

  it("finds one that does not accept the key of its signer", async () => {
    should(await withStatus("deployed", [OTHER])).deepEqual(["signers wallet"]);
  });

  it("finds nothing where it accepts the key, or where key or signers are not known", async () => {
    should(await withStatus("deployed", [OTHER, KEY.toLowerCase()])).be.empty();
    should(await withStatus("deployed")).be.empty();
    should(await withStatus("deployed", [])).be.empty();
    should(await withStatus("deployed", [OTHER], () => ({ knownAddress: async () => undefined }))).be.empty();
    const none = () => {
      throw new Error("No signer is chosen.");
    };
    should(await withStatus("deployed", [OTHER], none)).be.empty();
  });

  it("finds nothing by a wallet of another network or service", async () => {
    const made = await scene();
    made.activity.wallets.set({ ...report("archived"), chainSelector: "2" });
    made.activity.wallets.set({ ...report("archived"), id: "other", service: "https://other.example/v1" });
    should(await found(walletState, made)).be.empty();
  });
});
