import type { Channel, CrecClient, Wallet, Watcher } from "../../src/index.ts";
import type { WalletRef } from "../lib/config-nodes.ts";
import { nodeError } from "../lib/errors.ts";
import { isId } from "../lib/fields.ts";

/** What an action is given; fields are worked out only when it asks for them. */
export type ActionContext = {
  client: CrecClient;
  signal: AbortSignal;
  timeoutMs: number;
  channelId(): Promise<string>;
  /** The wallet chosen in the form. @throws WALLET_MISSING */
  wallet(): WalletRef;
  target(): Promise<string>;
  newName(): Promise<string>;
  description(): Promise<string | undefined>;
  onStatus(status: string): void;
};

export type ActionResult = { payload: unknown; crec: Record<string, unknown> };
export type Action = (context: ActionContext) => Promise<ActionResult>;

/** Every action the node offers, by `resource.action`. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  "networks.list": async ({ client, signal }) => ({
    payload: await client.networks.list({ signal }),
    crec: {},
  }),

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
    const { client, signal, timeoutMs } = context;
    const { channel_id, watcher_id } = await findWatcher(context);
    await client.watchers.archive(channel_id, watcher_id, { signal });
    const archived = await client.watchers.waitFor(channel_id, watcher_id, {
      target: "archived",
      timeoutMs,
      signal,
      onStatus: ({ status }: Watcher) => context.onStatus(status),
    });
    return watcherResult(archived);
  },

  "wallets.list": async ({ client, signal }) => ({
    payload: await all(client.wallets.list({}, { signal })),
    crec: {},
  }),
  "wallets.get": async (context) => walletResult(await findWallet(context)),
  "wallets.create-or-find": async (context) => {
    const { client, signal, timeoutMs } = context;
    const { label, chainSelector, signer } = context.wallet();
    const { address = "" } = await signer().signer();
    const description = await context.description();
    const request = {
      name: label,
      chain_selector: chainSelector,
      wallet_type: "ecdsa" as const,
      wallet_owner_address: address,
      allowed_ecdsa_signers: [address],
      ...(description === undefined ? {} : { description }),
    };
    const { wallet, found } = await client.wallets.createOrFind(request, { signal });
    const deployed = await client.wallets.waitFor(wallet.wallet_id, {
      target: "deployed",
      timeoutMs,
      signal,
      onStatus: ({ status }: Wallet) => context.onStatus(status),
    });
    return walletResult(deployed, { found });
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
};

async function findChannel({ client, target, signal }: ActionContext): Promise<Channel> {
  const wanted = await target();
  const channel = isId(wanted)
    ? await client.channels.get(wanted, { signal })
    : await client.channels.findByName(wanted, { signal });
  if (channel) return channel;
  throw nodeError(
    "CHANNEL_NOT_FOUND",
    `There is no channel named "${wanted}". List the channels to see what is there.`,
  );
}

async function findWatcher({ client, channelId, target, signal }: ActionContext): Promise<Watcher> {
  const [wanted, channel] = [await target(), await channelId()];
  const watcher = isId(wanted)
    ? await client.watchers.get(channel, wanted, { signal })
    : await client.watchers.findByName(channel, wanted, { signal });
  if (watcher) return watcher;
  throw nodeError(
    "WATCHER_NOT_FOUND",
    `There is no watcher named "${wanted}" in this channel. List them to see what is there.`,
  );
}

async function findWallet({ client, target, signal }: ActionContext): Promise<Wallet> {
  const wanted = await target();
  const wallet = isId(wanted)
    ? await client.wallets.get(wanted, { signal })
    : await client.wallets.findByName(wanted, { signal });
  if (wallet) return wallet;
  throw nodeError(
    "WALLET_NOT_FOUND",
    `There is no wallet named "${wanted}". List the wallets to see what is there.`,
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

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
