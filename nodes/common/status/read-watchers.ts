import { setTimeout as sleep } from "node:timers/promises";
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

const POLL_MS = 1_000;
/** The client reports a result after 30 s at the latest, unless very many other watchers were looked up meanwhile. */
const MAX_WAIT_MS = 40_000;

/**
 * The oracle family of a watcher. The service may show a watcher up to 30 s late. This waits for it, since its events must
 * not be verified with the default set.
 * @throws {HttpError} as `watchers.familyOf`; {AbortError} where the signal fires.
 */
export async function watcherFamily(
  { watchers }: Pick<CrecClient, "watchers">,
  channelId: string,
  watcherId: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const end = performance.now() + MAX_WAIT_MS; ; ) {
    try {
      return await watchers.familyOf(channelId, watcherId);
    } catch (error) {
      if (!isNotFound(error) || performance.now() > end) throw error;
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "WATCHER_NOT_FOUND";
}
