import { type CrecClient, WATCHER_STATUSES } from "../../src/index.ts";
import type { ServiceSnapshot, Wire } from "../shared/job.ts";

/** So many calls at once: more would take the place of those of running flows. */
const AT_ONCE = 4;

/**
 * What the service has now: its networks, its wallets, and these channels with their watchers. Events of the past may be
 * of watchers that are archived: those are there too.
 * @throws {HttpError} as every call of the client.
 */
export async function readSnapshot(
  client: Pick<CrecClient, "networks" | "wallets" | "channels" | "watchers">,
  channelIds: readonly string[],
  signal?: AbortSignal,
): Promise<ServiceSnapshot> {
  const options = signal ? { signal } : {};
  const networks = await client.networks.list(options);
  const wallets = await all(client.wallets.list({ limit: 100 }, options));
  const channels: Array<{ channel: Wire; watchers: readonly Wire[] }> = [];
  for (const channelId of channelIds) {
    const channel = await client.channels.get(channelId, options);
    const listed = await all(
      client.watchers.list(channelId, { status: WATCHER_STATUSES, limit: 50 }, options),
    );
    // A list leaves out the events and the ABI of a watcher.
    const watchers = await inTurns(listed, ({ watcher_id }) =>
      client.watchers.get(channelId, watcher_id, options),
    );
    channels.push({ channel, watchers });
  }
  return { networks, wallets, channels };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function inTurns<T, R>(items: readonly T[], of: (item: T) => Promise<R>): Promise<R[]> {
  const found: R[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE)
    found.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(of))));
  return found;
}
