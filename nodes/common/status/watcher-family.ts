import { setTimeout as sleep } from "node:timers/promises";
import type { CrecClient } from "../../../src/index.ts";

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
