import type {
  ChannelEvent,
  CrecClient,
  EventConsumerOptions,
  EventEnvelope,
  EventFilter,
} from "../../src/index.ts";
import { isUuid } from "../../src/protocol/ids.ts";
import type { Library } from "../lib/runtime/library.ts";
import type { Filters } from "./filters.ts";

type Source = { client: CrecClient; channelId: string; library: Library };

/**
 * A consumer's filter. Names of watchers are looked up before anything is read, and again when an
 * event comes of a watcher not seen before: one of that name may have been made since. A name that is not there is
 * waited for, and nothing is passed over meanwhile.
 */
export function filterOf(
  { watchers, filter }: Pick<Filters, "watchers" | "filter">,
  { client, channelId, library }: Source,
): Pick<EventConsumerOptions, "filter" | "prepare"> {
  const ids = watchers.filter(isUuid);
  const names = watchers.filter((one) => !isUuid(one));
  const filterWith = (found: readonly string[]) => {
    const whole: EventFilter = { ...filter, watcherIds: [...ids, ...found] };
    return library.eventFilter(whole);
  };
  if (names.length === 0) return { filter: filterWith([]) };

  const idsOf = async (name: string, signal: AbortSignal): Promise<string[]> => {
    const found: string[] = [];
    // Those that are archived are listed only when they are asked for; their events are still there.
    for (const status of [undefined, ["archived"] as const]) {
      const asked = { name, limit: 50, ...(status ? { status } : {}) };
      for await (const watcher of client.watchers.list(channelId, asked, { signal })) {
        if (watcher.name === name) found.push(watcher.watcher_id);
      }
    }
    if (found.length > 0) return found;
    throw new library.CrecError(
      "WATCHER_NOT_FOUND",
      `There is no watcher named "${name}" in this channel yet.`,
    );
  };
  let passes: ((event: ChannelEvent) => boolean) | undefined;
  const seen = new Set<unknown>();
  return {
    filter: (event) => passes?.(event) ?? true,
    prepare: async (events, signal) => {
      const unseen = events
        .map(({ payload }: EventEnvelope) => payload.watcher_id)
        .filter((id) => id && !seen.has(id));
      if (passes && unseen.length === 0) return;
      const found = await Promise.all(names.map((name) => idsOf(name, signal)));
      passes = filterWith(found.flat());
      for (const id of unseen) seen.add(id);
    },
  };
}
