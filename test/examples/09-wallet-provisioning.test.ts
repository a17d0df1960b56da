import should from "should";
import { RunningExample } from "../support/example.ts";

type Ready = { wallet: string; foundAgain: boolean; filledUp: boolean };

describe("the example wallet provisioning", function () {
  this.timeout(120_000);

  let flow: RunningExample;
  before(async () => {
    flow = await RunningExample.start("09-wallet-provisioning");
  });
  after(() => flow?.close());

  it("creates a wallet with tokens for the device once, which signs, and refills it", async () => {
    const first = await flow.pressed<Ready>("Provision", "ready");
    should(first).have.properties({ foundAgain: false, filledUp: true });
    should(first.wallet).match(/^0x[0-9a-fA-F]{40}$/);
    // Nothing twice.
    const again = await flow.pressed<Ready>("Provision", "ready");
    should(again).deepEqual({ wallet: first.wallet, foundAgain: true, filledUp: false });
    // It executes what the device's key signed, and has spent something then.
    should(await flow.pressed("Try it", "works")).have.property("status", "confirmed_latest");
    const refilled = await flow.pressed<Ready>("Provision", "ready");
    should(refilled).deepEqual({ wallet: first.wallet, foundAgain: true, filledUp: true });
    should(await flow.pressed("List", "wallets")).deepEqual([
      { name: "provisioned", status: "deployed", address: first.wallet },
    ]);
    should(flow.values("error")).be.empty();
  });
});
