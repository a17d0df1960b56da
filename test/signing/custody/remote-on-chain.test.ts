import should from "should";
import type { RunningService } from "../../../service/src/index.ts";
import { CrecClient, type CustodySigner, generatePrivateKey, remoteSigner } from "../../../src/index.ts";
import { startTestService } from "../../support/service.ts";
import type { StandIn } from "../../support/stand-in.ts";
import { startWeb3Signer } from "../../support/web3signer.ts";

/** The seventh account of anvil. */
const ACCOUNT = "0x976EA74026E726554dB657fA54763abd0C3a0aa9";
const INCREMENT = "0xd09de08a";

describe("an operation signed by a remote signer", () => {
  let service: RunningService;
  let client: CrecClient;
  let web3signer: StandIn;
  before(async () => {
    service = await startTestService();
    web3signer = await startWeb3Signer([generatePrivateKey()]);
    const { base_url, api_key } = service.ready;
    client = new CrecClient({ baseUrl: base_url, apiKey: api_key });
  });
  after(async () => {
    await client?.close();
    await web3signer?.close();
    await service?.close();
  });

  const signers: Record<string, () => Promise<CustodySigner>> = {
    "the REST interface of Web3Signer": () => remoteSigner({ url: web3signer.url, protocol: "eth1-sign" }),
    "eth_signTypedData_v4 of anvil": () =>
      remoteSigner({ url: service.ready.rpc_url, protocol: "json-rpc", address: ACCOUNT }),
  };
  for (const [name, open] of Object.entries(signers)) {
    it(`is confirmed on the chain: by ${name}`, async () => {
      const signer = await open();
      try {
        const { address = "" } = signer;
        const { chain_selector, contracts } = service.ready;
        const created = await client.wallets.create({
          ...{ name, chain_selector, wallet_type: "ecdsa", wallet_owner_address: address },
          allowed_ecdsa_signers: [address],
        });
        const wallet = await client.wallets.waitFor(created.wallet_id, { target: "deployed" });
        const { channel } = await client.channels.createOrFind({ name: "remote signers" });
        const transactions = [{ to: contracts.Counter ?? "", value: "0", data: INCREMENT }];
        const order = { chain_selector, address: wallet.address, transactions };
        const { operation } = await client.operations.send(channel.channel_id, order, signer);
        const done = await client.operations.waitFor(channel.channel_id, operation.operation_id, {
          target: "confirmed_latest",
        });
        should(done.status).startWith("confirmed");
      } finally {
        await signer.close();
      }
    });
  }
});
