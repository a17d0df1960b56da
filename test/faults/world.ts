import { randomUUID } from "node:crypto";
import type { ReadyInfo } from "../../service/src/index.ts";
import {
  type CreateQuery,
  CrecClient,
  eventFragments,
  generatePrivateKey,
  localEcdsaSigner,
  type NewOperation,
  parseAbi,
  type Signer,
  type Wallet,
} from "../../src/index.ts";
import { startTestService } from "../support/service.ts";

export const COUNTER_ABI = parseAbi(`
  function increment()
  function count() view returns (uint256)
  event Incremented(address indexed by, uint256 amount, uint256 count)
`);
const INCREMENT = "0xd09de08a";

/** The real service with one of everything, for calls that the faults meet. */
export type World = {
  ready: ReadyInfo;
  /** Calls the service without any fault. */
  direct: CrecClient;
  signer: Signer;
  channelId: string;
  watcherId: string;
  wallet: Wallet;
  /** Of an operation that is confirmed. */
  operationId: string;
  queryId: string;
  eventId: string;
  newOperation: () => NewOperation;
  newQuery: () => CreateQuery;
  newWatcher: () => Parameters<CrecClient["watchers"]["create"]>[1];
  newWallet: () => Parameters<CrecClient["wallets"]["create"]>[0];
  close: () => Promise<void>;
};

export async function makeWorld(apiKey: string, signerKey?: string): Promise<World> {
  const service = await startTestService({ apiKey, confidences: ["latest"] });
  const world = await worldAt(service.ready, signerKey);
  return {
    ...world,
    close: async () => {
      await world.close();
      await service.close();
    },
  };
}

/** The same in a service that runs, with a channel and a wallet of its own. */
export async function worldAt(ready: ReadyInfo, signerKey: string = generatePrivateKey()): Promise<World> {
  const { base_url: baseUrl, graphql_url: graphqlUrl, api_key: apiKey, chain_selector, contracts } = ready;
  const direct = new CrecClient({ baseUrl, graphqlUrl, apiKey, maxConcurrency: 64 });
  const signer = localEcdsaSigner(signerKey);
  const counter = contracts.Counter ?? "";
  const name = () => `faults-${randomUUID()}`;
  const newWatcher = () => ({
    ...{ name: name(), chain_selector, address: counter, events: ["Incremented"] },
    abi: eventFragments(COUNTER_ABI, ["Incremented"]),
  });
  const newWallet = () => ({
    ...{ name: name(), chain_selector, wallet_type: "ecdsa" as const },
    wallet_owner_address: signer.address,
    allowed_ecdsa_signers: [signer.address],
  });
  const newQuery = () => ({
    chain_selector,
    params: {
      contract_address: counter,
      call_data: "0x06661abd",
      block_selection: { type: "latest" as const },
    },
  });
  const { channel_id: channelId } = await direct.channels.create({ name: name() });
  const [watcher, made, { query }] = await Promise.all([
    direct.watchers.create(channelId, newWatcher()),
    direct.wallets.create(newWallet()),
    direct.queries.run(channelId, newQuery()),
  ]);
  await direct.watchers.waitFor(channelId, watcher.watcher_id, { target: "active" });
  const wallet = await direct.wallets.waitFor(made.wallet_id, { target: "deployed" });
  const newOperation = () => ({
    ...{ chain_selector, address: wallet.address },
    transactions: [{ to: counter, value: "0", data: INCREMENT }],
  });
  const { operation } = await direct.operations.send(channelId, { ...newOperation(), deadline: 0 }, signer);
  await direct.operations.waitFor(channelId, operation.operation_id, { target: "confirmed_latest" });
  const { data } = await direct.events.search(channelId, {});
  return {
    ...{ ready, direct, signer, channelId, watcherId: watcher.watcher_id, wallet },
    ...{ operationId: operation.operation_id, queryId: query.query_id, eventId: data[0]?.event_id ?? "" },
    ...{ newOperation, newQuery, newWatcher, newWallet },
    close: () => direct.close(),
  };
}
