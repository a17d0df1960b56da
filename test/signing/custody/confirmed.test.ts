import should from "should";
import type { RunningService } from "../../../service/src/index.ts";
import {
  awsKmsSigner,
  CrecClient,
  type CustodySigner,
  fireblocksSigner,
  generatePrivateKey,
  privySigner,
  remoteSigner,
  vaultSigner,
} from "../../../src/index.ts";
import { FireblocksServer } from "../../support/fireblocks.ts";
import { ACCESS_KEY, ecdsaKey, KmsStandIn, REGION, rsaKey } from "../../support/kms.ts";
import { PrivyServer } from "../../support/privy.ts";
import { flowEnvironment, startTestService } from "../../support/service.ts";
import type { StandIn } from "../../support/stand-in.ts";
import { VaultServer } from "../../support/vault.ts";
import { startWeb3Signer } from "../../support/web3signer.ts";

/** The seventh account of anvil. */
const ACCOUNT = "0x976EA74026E726554dB657fA54763abd0C3a0aa9";
const OWNER = "0x1111111111111111111111111111111111111111";
const INCREMENT = "0xd09de08a";

/** With a key service in place of each: it signs for real, and the chain accepts the signature. */
describe("an operation signed by a key service", function () {
  this.timeout(120_000);
  let service: RunningService;
  let kms: KmsStandIn;
  let vault: VaultServer;
  let fireblocks: FireblocksServer;
  let privy: PrivyServer;
  let web3signer: StandIn;
  let client: CrecClient;
  let channelId: string;

  before(async () => {
    [service, kms, vault, fireblocks, privy, web3signer] = await Promise.all([
      startTestService(),
      KmsStandIn.start(),
      VaultServer.start(),
      FireblocksServer.start({ isApprovedByPeople: true }),
      PrivyServer.start(),
      startWeb3Signer([generatePrivateKey()]),
    ]);
    kms.keys.set("alias/ecdsa", ecdsaKey()).set("alias/rsa", rsaKey());
    privy.isOwned = true;
    const { CREC_BASE_URL: baseUrl, CREC_API_KEY: apiKey } = flowEnvironment(service.ready);
    client = new CrecClient({ baseUrl, apiKey });
    ({ channel_id: channelId } = await client.channels.create({ name: "custody" }));
    // All at once: each of them waits for the same blocks.
    for (const [name, open] of Object.entries(SIGNERS)) {
      const status = open().then((signer) => statusOf(name, signer));
      status.catch(() => {});
      statuses.set(name, status);
    }
    fireblocks.approve(await fireblocks.waiting());
  });
  after(async () => {
    await Promise.allSettled(statuses.values());
    await client?.close();
    const servers = [service, kms, vault, fireblocks, privy, web3signer];
    await Promise.all(servers.map((server) => server?.close()));
  });

  const kmsSigner = (keyId: string) =>
    awsKmsSigner({ keyId, region: REGION, endpoint: kms.endpoint, credentials: ACCESS_KEY });
  const SIGNERS: Readonly<Record<string, () => Promise<CustodySigner>>> = {
    "AWS KMS, with a key on secp256k1": () => kmsSigner("alias/ecdsa"),
    "AWS KMS, with an RSA key": () => kmsSigner("alias/rsa"),
    Vault: () => {
      const { url, key, roleId, secretId } = vault;
      return vaultSigner({ url, key, keyVersion: 1, login: { method: "approle", roleId, secretId } });
    },
    "Fireblocks, after an approval": () => fireblocksSigner({ ...fireblocks.options, pollMs: 1 }),
    "Privy, with an owner": () => privySigner({ ...privy.options, authorizationKey: privy.authorizationKey }),
    "Web3Signer, by its REST interface": () => remoteSigner({ url: web3signer.url, protocol: "eth1-sign" }),
    "eth_signTypedData_v4 of anvil": () =>
      remoteSigner({ url: service.ready.rpc_url, protocol: "json-rpc", address: ACCOUNT }),
  };
  const statuses = new Map<string, Promise<string>>();

  /** Creates a wallet for the signer, and has it increment a counter. */
  async function statusOf(name: string, signer: CustodySigner): Promise<string> {
    const { chain_selector, contracts } = service.ready;
    const { address, publicKey } = signer;
    const wanted = { name, chain_selector, wallet_owner_address: address ?? OWNER };
    try {
      const wallet = await client.wallets.create(
        publicKey === undefined
          ? { ...wanted, wallet_type: "ecdsa", allowed_ecdsa_signers: [address ?? OWNER] }
          : { ...wanted, wallet_type: "rsa", allowed_rsa_signers: [publicKey] },
      );
      const deployed = await client.wallets.waitFor(wallet.wallet_id, { target: "deployed" });
      const transactions = [{ to: contracts.Counter ?? "", value: "0", data: INCREMENT }];
      const order = { chain_selector, address: deployed.address, transactions };
      const { operation } = await client.operations.send(channelId, order, signer);
      const { operation_id: id } = operation;
      return (await client.operations.waitFor(channelId, id, { target: "confirmed" })).status;
    } finally {
      await signer.close();
    }
  }

  for (const name of Object.keys(SIGNERS)) {
    it(`is confirmed: ${name}`, async () => should(await statuses.get(name)).equal("confirmed"));
  }

  it("is asked for as each vendor documents it", () => {
    should([...vault.problems, ...fireblocks.problems, ...privy.problems]).be.empty();
  });
});
