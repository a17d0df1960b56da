import type { ChannelReader, CrecClient, Watcher } from "../../src/index.ts";

/** The watchers of a channel: all nodes on the channel share the answers. */
export type WatcherSource = {
  client: Pick<CrecClient, "watchers">;
  channelId: string;
  once: ChannelReader["once"];
};

type Sharing = {
  signal: AbortSignal;
  /** Also an answer that another node got no longer ago than this. */
  maxAgeMs: number;
  /** So many are listed at most. */
  most: number;
  /** Events that were read before: only nodes that have read these share the answer, so that it is newer than they are. */
  after?: readonly unknown[];
};

type Query = NonNullable<Parameters<CrecClient["watchers"]["list"]>[1]>;

/**
 * The watchers that match.
 * @throws what listing the watchers throws
 */
export function listWatchers(
  { client, channelId, once }: WatcherSource,
  query: Query,
  { signal, maxAgeMs, most, after = [] }: Sharing,
): Promise<readonly Watcher[]> {
  const ask = async (ended: AbortSignal) => {
    const found: Watcher[] = [];
    for await (const watcher of client.watchers.list(channelId, query, { signal: ended })) {
      found.push(watcher);
      if (found.length >= most) break;
    }
    return found;
  };
  return once(`watchers ${JSON.stringify([query, most, after])}`, ask, { signal, maxAgeMs });
}
