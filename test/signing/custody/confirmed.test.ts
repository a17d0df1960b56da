import should from "should";
import type { RunningService } from "../../../service/src/index.ts";
import { CrecClient, type CustodySigner, fireblocksSigner, privySigner } from "../../../src/index.ts";
import { FireblocksServer } from "../../support/fireblocks.ts";
import { PrivyServer } from "../../support/privy.ts";
import { flowEnvironment, startTestService } from "../../support/service.ts";

/** With a key service in place of each: it signs for real, and the chain accepts the signature. */
describe("an operation signed by a key service", function () {
  this.timeout(120_000);
  let service: RunningService;
  let fireblocks: FireblocksServer;
  let privy: PrivyServer;
  let client: CrecClient;
  let channelId: string;

  before(async () => {
    [service, fireblocks, privy] = await Promise.all([
      startTestService(),
      FireblocksServer.start({ isApprovedByPeople: true }),
      PrivyServer.start(),
    ]);
    privy.isOwned = true;
    const { CREC_BASE_URL: baseUrl, CREC_API_KEY: apiKey } = flowEnvironment(service.ready);
    client = new CrecClient({ baseUrl, apiKey });
    ({ channel_id: channelId } = await client.channels.create({ name: "custody" }));
  });
  after(async () => {
    await client?.close();
    await Promise.all([service?.close(), fireblocks?.close(), privy?.close()]);
  });

  /** Creates a wallet for the signer, and has it increment a counter. */
  async function statusOf(signer: CustodySigner): Promise<string> {
    const { chain_selector, contracts } = service.ready;
    const { address: owner = "0x" } = signer;
    const wallet = await client.wallets.create({
      name: signer.custodian,
      chain_selector,
      wallet_type: "ecdsa",
      wallet_owner_address: owner,
      allowed_ecdsa_signers: [owner],
    });
    const { address } = await client.wallets.waitFor(wallet.wallet_id, { target: "deployed" });
    const transactions = [{ to: contracts.Counter ?? "", value: "0", data: "0xd09de08a" }];
    const { operation } = await client.operations.send(
      channelId,
      { chain_selector, address, transactions },
      signer,
    );
    const { status } = await client.operations.waitFor(channelId, operation.operation_id, {
      target: "confirmed",
    });
    return status;
  }

  it("is confirmed: Fireblocks, after an approval", async () => {
    const signer = await fireblocksSigner({ ...fireblocks.options, pollMs: 1 });
    try {
      const status = statusOf(signer);
      fireblocks.approve(await fireblocks.waiting());
      should(await status).equal("confirmed");
    } finally {
      await signer.close();
    }
    should(fireblocks.problems).be.empty();
  });

  it("is confirmed: Privy, with an owner", async () => {
    const signer = await privySigner({ ...privy.options, authorizationKey: privy.authorizationKey });
    try {
      should(await statusOf(signer)).equal("confirmed");
    } finally {
      await signer.close();
    }
    should(privy.problems).be.empty();
  });
});
