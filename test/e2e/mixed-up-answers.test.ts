import should from "should";
import type { RunningService } from "../../service/src/index.ts";
import {
  CrecClient,
  encodeFunctionCall,
  generatePrivateKey,
  type LocalEcdsaSigner,
  localEcdsaSigner,
  type NewOperation,
  parseAbi,
} from "../../src/index.ts";
import { AlteringProxy } from "../support/altering-proxy.ts";
import { startTestService } from "../support/service.ts";

const COUNTER = parseAbi("function increment()");
const INCREMENT = encodeFunctionCall({ abi: COUNTER, function: "increment" }).data;

describe("before a proxy that alters answers", function () {
  this.timeout(60_000);

  let service: RunningService;
  let proxy: AlteringProxy;
  let client: CrecClient;
  let signer: LocalEcdsaSigner;
  let wallet: string;
  let channelId: string;

  before(async () => {
    service = await startTestService();
    proxy = await AlteringProxy.before(service.ready.base_url);
    client = new CrecClient({ baseUrl: proxy.baseUrl, apiKey: service.ready.api_key });
    signer = localEcdsaSigner(generatePrivateKey());
    const { wallet_id } = await client.wallets.create({
      name: "tester",
      chain_selector: service.ready.chain_selector,
      wallet_type: "ecdsa",
      wallet_owner_address: signer.address,
      allowed_ecdsa_signers: [signer.address],
    });
    wallet = (await client.wallets.waitFor(wallet_id, { target: "deployed" })).address;
    ({ channel_id: channelId } = await client.channels.create({ name: "mixed up" }));
  });
  after(async () => {
    await client?.close();
    await proxy?.close();
    await service?.close();
  });

  const increment = (): NewOperation => ({
    chain_selector: service.ready.chain_selector,
    address: wallet,
    transactions: [{ to: service.ready.contracts.Counter ?? "", value: "0", data: INCREMENT }],
  });

  it("an operation is never taken for the one whose answer came: the own one is found, and sent once", async () => {
    const { operation: other } = await client.operations.send(channelId, increment(), signer);
    const seen = proxy.passed.length;
    proxy.alterNext("POST", "/operations", ({ status }) => ({ status, body: JSON.stringify(other) }));
    const { operation, digest } = await client.operations.send(channelId, increment(), signer);
    should(operation.operation_id).not.equal(other.operation_id);
    should(operation.digest).equal(digest);
    const reached = await client.operations.waitFor(channelId, operation.operation_id, {
      target: "confirmed_latest",
    });
    should(reached.wallet_operation_id).equal(operation.wallet_operation_id);
    const posts = proxy.passed.slice(seen).filter((one) => /^POST .*\/operations$/.test(one));
    should(posts).have.length(1);
  });

  for (const [what, made, alteration] of [
    ["was cut on its way back", true, { status: 502, body: "<html>Bad gateway</html>" }],
    ["came too often", false, { status: 429, body: '{"type":"RATE_LIMITED","message":"later"}' }],
  ] as const) {
    it(`a draft is finalized by one signature, and cancelled, though the change ${what}`, async () => {
      const { operation: draft, digest } = await client.operations.draft(channelId, increment());
      const id = draft.operation_id;
      proxy.alterNext("PATCH", id, () => alteration);
      if (!made) proxy.alterNext("PATCH", id, () => alteration);
      const finalized = await client.operations.finalize(channelId, id, signer, { digest });
      should(finalized.operation_id).equal(id);
      await client.operations.waitFor(channelId, id, { target: "confirmed_latest" });
      const { operation: other } = await client.operations.draft(channelId, increment());
      proxy.alterNext("PATCH", other.operation_id, () => alteration);
      should((await client.operations.cancel(channelId, other.operation_id)).status).equal("cancelled");
    });
  }
});
