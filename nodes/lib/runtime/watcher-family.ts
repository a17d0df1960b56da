import { setTimeout as sleep } from "node:timers/promises";
import type { CrecClient } from "../../../src/index.ts";

const GAP_MS = 1_000;
/** The client gives an answer after 30 s, unless it was asked about very many other watchers meanwhile. */
const LONGEST_MS = 40_000;

/**
 * The oracle family of a watcher. The service may show a watcher up to 30 s late: that is waited out, since its
 * events must not be judged by the default set.
 * @throws {HttpError} as `watchers.familyOf`; {AbortError} where the signal fires.
 */
export async function watcherFamily(
  { watchers }: Pick<CrecClient, "watchers">,
  channelId: string,
  watcherId: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const end = performance.now() + LONGEST_MS; ; ) {
    try {
      return await watchers.familyOf(channelId, watcherId);
    } catch (error) {
      if (!isNotShown(error) || performance.now() > end) throw error;
    }
    await sleep(GAP_MS, undefined, { signal });
  }
}

function isNotShown(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "WATCHER_NOT_FOUND";
}
