import type { CrecClient, Wallet, Watcher } from "../../src/index.ts";
import { canonicalId, isUuid } from "../../src/protocol/ids.ts";
import { PAGE_LIMITS } from "../../src/protocol/limits.ts";

/** What is asked for at most of one connection: more is not a list that a person reads. */
const MOST_CHANNELS = 100;
const MOST_WATCHERS = 500;
const MOST_WALLETS = 500;

/** Filters of lists: a list has archived resources only where they are asked for. */
export const ALSO_ARCHIVED = [{}, { status: ["archived"] as const }] as const;

/** A list of the service. `isWhole`: nothing is left out. */
type Listed<T> = { items: T[]; isWhole: boolean };

export async function listWallets({ wallets }: CrecClient, signal: AbortSignal): Promise<Listed<Wallet>> {
  return taken(wallets.list({ limit: PAGE_LIMITS.wallets.max }, { signal }), MOST_WALLETS);
}

/** The watchers of these channels. A channel that does not exist has none, and is not created. */
export async function listWatchers(
  client: CrecClient,
  channels: readonly string[],
  signal: AbortSignal,
): Promise<Listed<Watcher> & { channelIds: string[] }> {
  const found: Watcher[] = [];
  const channelIds = new Set<string>();
  let isWhole = channels.length <= MOST_CHANNELS;
  for (const nameOrId of channels.slice(0, MOST_CHANNELS)) {
    const channelId = await channelIdOf(client, nameOrId, signal);
    if (channelId === undefined || channelIds.has(channelId)) continue;
    channelIds.add(channelId);
    const list = client.watchers.list(channelId, { limit: PAGE_LIMITS.watchers.max }, { signal });
    const watchers = await taken(list, MOST_WATCHERS - found.length);
    found.push(...watchers.items);
    isWhole &&= watchers.isWhole;
  }
  return { items: found, isWhole, channelIds: [...channelIds] };
}

/** Undefined for a name that no channel has. */
export async function channelIdOf(
  client: CrecClient,
  nameOrId: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (isUuid(nameOrId)) return canonicalId(nameOrId);
  return (await client.channels.findByName(nameOrId, { signal }))?.channel_id;
}

/** The first items of a list. */
export async function taken<T>(items: AsyncIterable<T>, most: number): Promise<Listed<T>> {
  const found: T[] = [];
  for await (const item of items) {
    if (found.length >= most) return { items: found, isWhole: false };
    found.push(item);
  }
  return { items: found, isWhole: true };
}
