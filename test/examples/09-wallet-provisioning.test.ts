import should from "should";
import { RunningExample } from "../support/example.ts";

type Ready = { wallet: string; foundAgain: boolean; filledUp: boolean };

describe("the example wallet provisioning", function () {
  this.timeout(120_000);

  let flow: RunningExample;
  let first: Ready;
  before(async () => {
    flow = await RunningExample.start("09-wallet-provisioning");
  });
  after(() => flow?.close());

  it("creates a wallet with tokens for the device", async () => {
    first = await flow.pressed<Ready>("Provision", "ready");
    should(first).have.properties({ foundAgain: false, filledUp: true });
    should(first.wallet).match(/^0x[0-9a-fA-F]{40}$/);
  });

  it("does nothing twice", async () => {
    const again = await flow.pressed<Ready>("Provision", "ready");
    should(again).deepEqual({ wallet: first.wallet, foundAgain: true, filledUp: false });
  });

  it("has a wallet that executes what the device's key signed", async () => {
    should(await flow.pressed("Try it", "works")).have.property("status", "confirmed_latest");
  });

  it("refills the wallet when it has spent something", async () => {
    const again = await flow.pressed<Ready>("Provision", "ready");
    should(again).deepEqual({ wallet: first.wallet, foundAgain: true, filledUp: true });
  });

  it("lists the wallets", async () => {
    should(await flow.pressed("List", "wallets")).deepEqual([
      { name: "provisioned", status: "deployed", address: first.wallet },
    ]);
  });

  it("reported no error", () => {
    should(flow.values("error")).be.empty();
  });
});
