import type { CrecClient, Watcher } from "../../../src/index.ts";

export type WatcherSource = { client: CrecClient; channelId: string; signal: AbortSignal };

const AT_ONCE = 8;

/**
 * The watchers with these ids, one request each: lists have no events and no ABI.
 *
 * @param failed gets what one of them fails with, and the others are read; without, it is thrown
 */
export async function* readWatchers(
  { client, channelId, signal }: WatcherSource,
  ids: readonly string[],
  failed: (reason: unknown) => void = (reason) => {
    throw reason;
  },
): AsyncGenerator<Watcher, void, undefined> {
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const part = ids.slice(at, at + AT_ONCE);
    const read = await Promise.allSettled(part.map((id) => client.watchers.get(channelId, id, { signal })));
    for (const one of read) {
      if (one.status === "fulfilled") yield one.value;
      else failed(one.reason);
    }
  }
}
