/** The names that examples in doc comments use without saying where they come from. */
import {
  type ChannelEvent,
  CrecClient,
  createVerifier,
  type Delivery,
  eventFragments,
  generatePrivateKey,
  type Hex,
  isEvent,
  localEcdsaSigner,
  operationTypedData,
  parseAbi,
  type VerifyConfig,
  type WatcherEvent,
} from "../../src/index.ts";

const env = (name: string): string => process.env[name] ?? "";

/** Where the service is, and the key of the organization. */
export const baseUrl = env("CREC_BASE_URL");
export const apiKey = env("CREC_API_KEY");
export const client = new CrecClient({ baseUrl, apiKey, graphqlUrl: env("CREC_GRAPHQL_URL") });

/** What proofs are judged by. */
export const config: VerifyConfig = {
  orgId: env("CREC_ORG_ID"),
  creTenantId: env("CREC_TENANT_ID"),
  validSigners: env("CREC_VALID_SIGNERS").split(","),
  minRequiredSignatures: Number(env("CREC_MIN_SIGNATURES")),
};
export const verifier = createVerifier(config);

/** The chain selector of a network, and a contract on it. */
export const network = env("CREC_CHAIN_SELECTOR");
export const counter = env("CREC_COUNTER_ADDRESS");
export const abi = parseAbi(`
  function increment()
  function countOf(address caller) view returns (uint256)
  event Incremented(address indexed by, uint256 amount, uint256 count)
`);

/** A channel, with a watcher on that contract. */
export const { channel_id: channelId } = await client.channels.create({ name: "of the examples" });
export const watcher = await client.watchers.create(channelId, {
  name: "of the examples",
  chain_selector: network,
  address: counter,
  events: ["Incremented"],
  abi: eventFragments(abi, ["Incremented"]),
});

/** A key at hand, a wallet it may sign for, and the same key behind a callback. */
export const signer = localEcdsaSigner(generatePrivateKey());
export const { address } = signer;
const created = await client.wallets.create({
  name: "of the examples",
  chain_selector: network,
  wallet_type: "ecdsa",
  wallet_owner_address: address,
  allowed_ecdsa_signers: [address],
});
await client.watchers.waitFor(channelId, watcher.watcher_id, { target: "active" });
export const wallet = await client.wallets.waitFor(created.wallet_id, { target: "deployed" });
const transactions = [{ to: counter, value: "0", data: "0xd09de08a" }];
export const typedData = operationTypedData(
  { id: "1", account: wallet.address, deadline: 0, transactions },
  "31337",
);
export const keyService = { sign: (digest: Hex): Promise<Hex> => signer.sign({ digest, typedData }) };

/** An operation on that contract, and the event it led to. */
export const { operation } = await client.operations.send(
  channelId,
  { chain_selector: network, address: wallet.address, transactions },
  signer,
);
export const event = await firstEvent();
export const eventId = event.event_id;

/** What a program does with what it gets. */
export function show(..._values: unknown[]): void {}
export function handle(_event: ChannelEvent | Delivery): void {}

async function firstEvent(): Promise<WatcherEvent> {
  // biome-ignore lint/plugin: compiled apart from the helpers of tests
  for (;;) {
    const { data } = await client.events.search(channelId, { type: ["watcher.event"] });
    const [found] = data;
    if (found && isEvent(found, "watcher.event") && (await verifier.verify(found)).verified) return found;
    // biome-ignore lint/plugin: as above
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
