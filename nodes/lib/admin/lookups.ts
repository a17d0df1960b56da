import type { Node, NodeAPI } from "node-red";
import type { CrecClient, Wallet, Watcher } from "../../../src/index.ts";
import type { ChannelNode, ConnectionNode, ContractNode } from "../config-nodes.ts";
import type { Choice } from "../form-types.ts";
import { loadLibrary } from "../library.ts";

type Lookup = (RED: NodeAPI, id: string) => Promise<Choice[]>;

/** At most this many lines are fetched for a list: more is not a list a person reads. */
const MOST = 200;
/** A person waits for the list: better none than a late one. */
const LOOKUP_MS = 10_000;

const LOOKUPS: Readonly<Record<string, Lookup>> = {
  networks: async (RED, id) => {
    const client = await clientOf(RED, id);
    const networks = (await client?.networks.list(inTime())) ?? [];
    return networks.map(({ chain_selector, name, type }) => ({
      value: chain_selector,
      label: name,
      ...(type ? { detail: type } : {}),
    }));
  },
  channels: async (RED, id) => {
    const client = await clientOf(RED, id);
    if (!client) return [];
    const channels = await take(client.channels.list({ limit: 50 }, inTime()));
    return channels.map(({ name, status }) => ({ value: name, label: name, detail: status }));
  },
  wallets: async (RED, id) =>
    (await walletsOf(RED, id)).map((wallet) => ({
      value: wallet.name,
      label: wallet.name,
      detail: walletDetail(wallet),
    })),
  "wallet-ids": async (RED, id) =>
    (await walletsOf(RED, id)).map((wallet) => ({
      value: wallet.wallet_id,
      label: wallet.name,
      detail: walletDetail(wallet),
    })),
  watchers: async (RED, id) =>
    (await watchersOf(RED, id)).map(({ watcher_id, name, status }) => ({
      value: name ?? watcher_id,
      label: name ?? watcher_id,
      detail: status,
    })),
  "watcher-ids": async (RED, id) =>
    (await watchersOf(RED, id)).map(({ watcher_id, name, status }) => ({
      value: watcher_id,
      label: name ?? watcher_id,
      detail: status,
    })),
  operations: async (RED, id) => {
    const operations = await inChannel(RED, id, (client, channel) =>
      client.operations.list(channel, { limit: 100 }, inTime()),
    );
    return operations.map(({ operation_id, status, created_at }) => ({
      value: operation_id,
      label: operation_id,
      detail: detailOf(status, created_at),
    }));
  },
  queries: async (RED, id) => {
    const queries = await inChannel(RED, id, (client, channel) =>
      client.queries.list(channel, { limit: 100 }, inTime()),
    );
    return queries.map(({ query_id, status, created_at }) => ({
      value: query_id,
      label: query_id,
      detail: detailOf(status, created_at),
    }));
  },
  "contract-events": async (RED, id) => {
    const contract = (RED.nodes.getNode(id) as (Node & Partial<ContractNode>) | null)?.contract;
    if (!contract || contract.problem) return [];
    const { listEvents } = await loadLibrary();
    return listEvents(await contract.abi()).map(({ name, signature }) => ({
      value: name,
      label: name,
      detail: signature,
    }));
  },
};

/**
 * `GET /crec/lookup/:kind/:id`: what a form offers to pick from, `id` being the config node asked.
 * An undeployed or broken one has nothing to offer, so the answer is an empty list; the value can still be typed.
 */
export function registerLookups(RED: NodeAPI): void {
  RED.httpAdmin.get("/crec/lookup/:kind/:id", RED.auth.needsPermission("crec.read"), (request, response) => {
    const { kind, id } = request.params as { kind: string; id: string };
    const lookup = Object.hasOwn(LOOKUPS, kind) ? LOOKUPS[kind] : undefined;
    if (!lookup) {
      response.sendStatus(404);
      return;
    }
    lookup(RED, id).then(
      (choices) => response.json(choices),
      () => response.json([]),
    );
  });
}

async function clientOf(RED: NodeAPI, id: string) {
  const connection = (RED.nodes.getNode(id) as (Node & Partial<ConnectionNode>) | null)?.connection;
  return connection && !connection.problem ? connection.client() : undefined;
}

async function walletsOf(RED: NodeAPI, id: string): Promise<Wallet[]> {
  const client = await clientOf(RED, id);
  return client ? take(client.wallets.list({ limit: 50 }, inTime())) : [];
}

function watchersOf(RED: NodeAPI, id: string): Promise<Watcher[]> {
  return inChannel(RED, id, (client, channel) => client.watchers.list(channel, { limit: 50 }, inTime()));
}

/** What a channel has, newest or oldest first as the service gives it. */
async function inChannel<T>(
  RED: NodeAPI,
  id: string,
  list: (client: CrecClient, channelId: string) => AsyncIterable<T>,
): Promise<T[]> {
  const channel = (RED.nodes.getNode(id) as (Node & Partial<ChannelNode>) | null)?.channel;
  if (!channel || channel.problem) return [];
  const client = await channel.connection().client();
  return take(list(client, await channel.resolve(inTime().signal)));
}

function inTime(): { signal: AbortSignal } {
  return { signal: AbortSignal.timeout(LOOKUP_MS) };
}

/** As `deployed, 0x…`: the same name may stand for wallets of several networks. */
function walletDetail({ status, address }: Wallet): string {
  return address ? `${status}, ${address}` : status;
}

/** As `confirmed, 2026-01-31 12:00`: an id alone tells nobody anything. */
function detailOf(status: string, createdAt: number): string {
  const time = new Date(createdAt * 1000);
  if (Number.isNaN(time.getTime())) return status;
  return `${status}, ${time.toISOString().slice(0, 16).replace("T", " ")}`;
}

async function take<T>(items: AsyncIterable<T>): Promise<T[]> {
  const taken: T[] = [];
  for await (const item of items) {
    taken.push(item);
    if (taken.length === MOST) break;
  }
  return taken;
}
