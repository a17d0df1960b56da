import should from "should";
import type { RunningService } from "../../service/src/index.ts";
import { type AwsKmsSigner, awsKmsSigner, CrecClient, type Wallet } from "../../src/index.ts";
import { ACCESS_KEY, ecdsaKey, KmsStandIn, REGION, rsaKey } from "../support/kms.ts";
import { startTestService } from "../support/service.ts";

/** A wallet on the real chain that takes the signatures of a key in AWS KMS. */
describe("an operation that a key in AWS KMS signs", function () {
  this.timeout(60_000);

  let kms: KmsStandIn;
  let service: RunningService;
  let client: CrecClient;

  before(async () => {
    kms = await KmsStandIn.start();
    service = await startTestService();
    const { base_url: baseUrl, api_key: apiKey } = service.ready;
    client = new CrecClient({ baseUrl, apiKey });
  });
  after(async () => {
    await client?.close();
    await service?.close();
    await kms?.close();
  });

  const walletOf = (signer: AwsKmsSigner): Promise<Wallet> => {
    const given = {
      name: signer.kind,
      chain_selector: service.ready.chain_selector,
      wallet_owner_address: "0x1111111111111111111111111111111111111111",
    };
    return signer.kind === "rsa"
      ? client.wallets.create({ ...given, wallet_type: "rsa", allowed_rsa_signers: [signer.publicKey] })
      : client.wallets.create({ ...given, wallet_type: "ecdsa", allowed_ecdsa_signers: [signer.address] });
  };

  for (const [what, key] of [
    ["secp256k1", ecdsaKey()],
    ["RSA", rsaKey()],
  ] as const) {
    it(`is confirmed, with ${what}`, async () => {
      kms.keys.set("alias/payments", key);
      const given = { keyId: "alias/payments", region: REGION, credentials: ACCESS_KEY };
      const signer = await awsKmsSigner({ ...given, endpoint: kms.endpoint });
      const { channel_id: channelId } = await client.channels.create({ name: what });
      const created = await walletOf(signer);
      const { address } = await client.wallets.waitFor(created.wallet_id, { target: "deployed" });
      const transactions = [{ to: service.ready.contracts.Counter ?? "", value: "0", data: "0xd09de08a" }];
      const submitted = await client.operations.send(
        channelId,
        { chain_selector: service.ready.chain_selector, address, transactions },
        signer,
      );
      const { operation_id: id } = submitted.operation;
      const { status } = await client.operations.waitFor(channelId, id, { target: "confirmed" });
      should(status).equal("confirmed");
      await signer.close();
    });
  }
});
