import type { Channel, CrecClient, Network, Query, Wallet, Watcher } from "../../src/index.ts";
import { isUuid } from "../../src/protocol/ids.ts";
import type { WalletRef } from "../common/fields/config-nodes.ts";
import { nodeError, toCodedError } from "../common/shared/errors.ts";
import type { ManageAction } from "./fields.ts";
import { newWallet } from "./new-wallet.ts";

/** What an action gets. Fields are evaluated only when it reads them. */
export type ActionContext = {
  client: CrecClient;
  signal: AbortSignal;
  /** For actions that wait. Read before anything is sent. @throws INVALID_FIELD */
  timeoutMs(): number;
  channelId(): Promise<string>;
  /** The wallet chosen in the form. @throws WALLET_MISSING */
  wallet(): WalletRef;
  target(): Promise<string>;
  newName(): Promise<string>;
  description(): Promise<string | undefined>;
  /** Called with the watcher or wallet that is waited for, at each status. */
  onStatus(resource: Watcher | Wallet): void;
  /** Puts ids into the message as soon as they are known, so that Catch has them if an error follows. */
  note(crec: Record<string, unknown>): void;
  /** Keeps the wait, so that it is resumed after a deploy. */
  keep(wait: ManageWait): Promise<void>;
};

/** What an action waits for. */
export type ManageWait =
  | { action: "watchers.archive"; channelId: string; id: string }
  | { action: "wallets.create-or-find"; id: string; found: boolean };

type ActionResult = { payload: unknown; crec: Record<string, unknown> };
type Action = (context: ActionContext) => Promise<ActionResult>;

/** Every action of the node. */
export const ACTIONS: Readonly<Record<ManageAction, Action>> = {
  "networks.list": async ({ client, signal }) => ({
    payload: await client.networks.list({ signal }),
    crec: {},
  }),
  "networks.get": async (context) => ({ payload: await findNetwork(context), crec: {} }),

  "channels.list": async ({ client, signal }) => ({
    payload: await all(client.channels.list({}, { signal })),
    crec: {},
  }),
  "channels.get": async (context) => channelResult(await findChannel(context)),
  "channels.create-or-find": async (context) => {
    const name = await context.target();
    const description = await context.description();
    const request = { name, ...(description === undefined ? {} : { description }) };
    const { channel, found } = await context.client.channels.createOrFind(request, {
      signal: context.signal,
    });
    return channelResult(channel, { found });
  },
  "channels.rename": async (context) => {
    const { channel_id } = await findChannel(context);
    const changes = { name: await context.newName() };
    return channelResult(
      await context.client.channels.update(channel_id, changes, { signal: context.signal }),
    );
  },
  "channels.archive": async (context) => {
    const { channel_id } = await findChannel(context);
    return channelResult(await context.client.channels.archive(channel_id, { signal: context.signal }));
  },

  "watchers.list": async ({ client, channelId, signal }) => ({
    payload: await all(client.watchers.list(await channelId(), {}, { signal })),
    crec: {},
  }),
  "watchers.get": async (context) => watcherResult(await findWatcher(context)),
  "watchers.rename": async (context) => {
    const { channel_id, watcher_id } = await findWatcher(context);
    const changes = { name: await context.newName() };
    return watcherResult(
      await context.client.watchers.update(channel_id, watcher_id, changes, { signal: context.signal }),
    );
  },
  "watchers.archive": async (context) => {
    const { client, signal } = context;
    // A wrong timeout is reported before anything is sent.
    context.timeoutMs();
    const { channel_id, watcher_id, status } = await findWatcher(context);
    // Safe to repeat: a watcher that is archiving or archived is not archived again.
    if (status !== "archiving" && status !== "archived") {
      await client.watchers.archive(channel_id, watcher_id, { signal });
    }
    return resume(context, { action: "watchers.archive", channelId: channel_id, id: watcher_id });
  },

  "wallets.list": async ({ client, signal }) => ({
    payload: await all(client.wallets.list({}, { signal })),
    crec: {},
  }),
  "wallets.get": async (context) => walletResult(await findWallet(context)),
  "wallets.create-or-find": async (context) => {
    const { client, signal } = context;
    // A wrong timeout is reported before anything is sent.
    context.timeoutMs();
    const wanted = context.wallet();
    const signer = await wanted.signer().signer();
    const description = await context.description();
    const request = {
      ...newWallet(wanted, signer),
      ...(description === undefined ? {} : { description }),
    };
    const { wallet, found } = await client.wallets.createOrFind(request, { signal });
    context.note(walletResult(wallet, { found }).crec);
    return resume(context, { action: "wallets.create-or-find", id: wallet.wallet_id, found });
  },
  "wallets.rename": async (context) => {
    const { wallet_id } = await findWallet(context);
    const changes = { name: await context.newName() };
    return walletResult(await context.client.wallets.update(wallet_id, changes, { signal: context.signal }));
  },
  "wallets.archive": async (context) => {
    const { wallet_id } = await findWallet(context);
    return walletResult(await context.client.wallets.archive(wallet_id, { signal: context.signal }));
  },

  "queries.list": async ({ client, channelId, signal }) => ({
    payload: await all(client.queries.list(await channelId(), {}, { signal })),
    crec: {},
  }),
  "queries.get": async ({ client, channelId, target, signal, note }) => {
    const [queryId, channel] = [await target(), await channelId()];
    note({ channelId: channel, queryId });
    return queryResult(await client.queries.get(channel, queryId, { signal }), channel);
  },
};

/** Waits, or continues a wait, whatever the node's action is now. */
export async function resume(context: ActionContext, wait: ManageWait): Promise<ActionResult> {
  const { client, signal } = context;
  const options = {
    timeoutMs: context.timeoutMs(),
    signal,
    onStatus: (resource: Watcher | Wallet) => context.onStatus(resource),
  };
  await context.keep(wait);
  if (wait.action === "watchers.archive") {
    const archived = client.watchers.waitFor(wait.channelId, wait.id, { target: "archived", ...options });
    return watcherResult(await archived.catch(archiveFailed));
  }
  const deployed = await client.wallets.waitFor(wait.id, { target: "deployed", ...options });
  return walletResult(deployed, { found: wait.found });
}

/** By name or by chain selector. */
async function findNetwork({ client, target, signal }: ActionContext): Promise<Network> {
  const nameOrId = await target();
  const networks = await client.networks.list({ signal });
  const network = networks.find(({ name, chain_selector }) => [name, chain_selector].includes(nameOrId));
  if (network) return network;
  throw nodeError(
    "NETWORK_NOT_FOUND",
    `There is no network with the name or the chain selector "${nameOrId}". List the networks to see which there are.`,
  );
}

async function findChannel({ client, target, signal, note }: ActionContext): Promise<Channel> {
  const nameOrId = await target();
  const channel = isUuid(nameOrId)
    ? await client.channels.get(nameOrId, { signal })
    : await client.channels.findByName(nameOrId, { signal });
  if (channel) {
    note(channelResult(channel).crec);
    return channel;
  }
  throw nodeError(
    "CHANNEL_NOT_FOUND",
    `There is no channel named "${nameOrId}". List the channels to see which there are.`,
  );
}

async function findWatcher(context: ActionContext): Promise<Watcher> {
  const { client, signal, note } = context;
  const [nameOrId, channel] = [await context.target(), await context.channelId()];
  note({ channelId: channel });
  const watcher = isUuid(nameOrId)
    ? await client.watchers.get(channel, nameOrId, { signal })
    : await client.watchers.findByName(channel, nameOrId, { signal });
  if (watcher) {
    note(watcherResult(watcher).crec);
    return watcher;
  }
  throw nodeError(
    "WATCHER_NOT_FOUND",
    `There is no watcher named "${nameOrId}" in this channel. List the watchers to see which there are.`,
  );
}

async function findWallet({ client, target, signal, note }: ActionContext): Promise<Wallet> {
  const nameOrId = await target();
  const wallet = isUuid(nameOrId)
    ? await client.wallets.get(nameOrId, { signal })
    : await client.wallets.findByName(nameOrId, { signal });
  if (wallet) {
    note(walletResult(wallet).crec);
    return wallet;
  }
  throw nodeError(
    "WALLET_NOT_FOUND",
    `There is no wallet named "${nameOrId}". List the wallets to see which there are.`,
  );
}

function channelResult(channel: Channel, more: Record<string, unknown> = {}): ActionResult {
  return { payload: channel, crec: { channelId: channel.channel_id, status: channel.status, ...more } };
}

function watcherResult(watcher: Watcher): ActionResult {
  const { channel_id: channelId, watcher_id: watcherId, status } = watcher;
  return { payload: watcher, crec: { channelId, watcherId, status } };
}

function walletResult(wallet: Wallet, more: Record<string, unknown> = {}): ActionResult {
  const { wallet_id: walletId, address: walletAddress, status } = wallet;
  return { payload: wallet, crec: { walletId, walletAddress, status, ...more } };
}

function queryResult(query: Query, channelId: string): ActionResult {
  const { query_id: queryId, status } = query;
  return { payload: query, crec: { channelId, queryId, status } };
}

/** A watcher that the service could not archive is `failed`, like one that it could not create. */
function archiveFailed(thrown: unknown): never {
  const error = toCodedError(thrown);
  if (error.code !== "WATCHER_FAILED") throw error;
  const { id, reason } = error as { id?: string; reason?: string };
  const why = reason ? `failed: ${reason.replace(/[.!?]+$/, "")}. ` : "";
  const message = `${why}The watcher could not be archived. Try again. Watcher ${id}.`;
  throw nodeError("WATCHER_ARCHIVE_FAILED", message, error);
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
