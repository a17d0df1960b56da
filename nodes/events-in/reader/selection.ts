import type {
  ChannelEvent,
  ChannelReader,
  CrecClient,
  EventEnvelope,
  EventFilter,
  LevelSource,
} from "../../../src/index.ts";
import { isUuid } from "../../../src/protocol/ids.ts";
import { confidenceCheck } from "../../common/fields/accepted-events.ts";
import type { Library } from "../../common/library.ts";
import type { Filters } from "./settings.ts";
import { findUnwatched, listWatchers, WatcherCheck } from "./unwatched.ts";

/** What other nodes on the channel asked for no longer ago than this is not asked for again, in milliseconds. */
const SHARED_MS = 1_000;

type SelectionOptions = {
  client: CrecClient;
  channelId: string;
  library: Library;
  once: ChannelReader["once"];
  /** How often an idle node polls, in milliseconds. */
  pollMaxMs: number;
  onChange: () => void;
};

type Source = { client: CrecClient; channelId: string; library: Library; once: ChannelReader["once"] };

/** Which events of the channel a node sends. */
type Selection = {
  wanted: Wanted;
  /** Whether an event is wanted, at a level that is high enough. */
  passes(event: ChannelEvent): boolean;
  /** How many wanted events were skipped because their confidence is too low. */
  lower(): number;
  watcherCheck: WatcherCheck;
};

/** What a node's filters say of an event. */
export type Wanted = {
  /** Awaited before the others see these events. @throws when the service cannot be asked now */
  prepare(events: readonly ChannelEvent[], signal: AbortSignal): Promise<void>;
  /** Whether the event is wanted, whatever its confidence. */
  matches(event: ChannelEvent): boolean;
  /** Whether its confidence is high enough. */
  isConfident(event: ChannelEvent): boolean;
};

export function selectionOf(filters: Filters, options: SelectionOptions): Selection {
  const { client, channelId, once, pollMaxMs, onChange } = options;
  const wanted = wantedOf(filters, options);
  const watcherCheck = new WatcherCheck(
    (signal, maxAgeMs) => findUnwatched(filters, { client, channelId, once }, { signal, maxAgeMs }),
    onChange,
    { pollMaxMs },
  );
  let lower = 0;
  const passes = (event: ChannelEvent): boolean => {
    watcherCheck.note(event);
    if (!wanted.matches(event)) return false;
    const isConfident = wanted.isConfident(event);
    if (!isConfident) lower += 1;
    return isConfident;
  };
  return { wanted, passes, lower: () => lower, watcherCheck };
}

/** All filters of a node. */
function wantedOf(filters: Filters, source: Source): Wanted {
  const { client, channelId, library, once } = source;
  const levelSource = sharedLevels(library.levelSource(client, channelId), once);
  const confidence = confidenceCheck(filters.confidence, { library, levelSource });
  const { filter, prepare } = filterOf(filters, source);
  // An event that the filter cannot read is delivered, so that its verification fails visibly.
  const matches = (event: ChannelEvent) => {
    try {
      return filter(event);
    } catch {
      return true;
    }
  };
  return {
    prepare: async (events, signal) => {
      await prepare(events, signal);
      if (filters.confidence !== "highest") return;
      // Only of events that are wanted: others need no request.
      const wanted = events.filter(matches);
      if (wanted.length > 0) await confidence.prepare(wanted, signal);
    },
    matches,
    isConfident: (event) => confidence.passes(event),
  };
}

/** Asks for a level once for all nodes on the channel that need it at the same time. */
function sharedLevels(source: LevelSource, once: Source["once"]): LevelSource {
  const sharing = (signal: AbortSignal) => ({ signal, maxAgeMs: SHARED_MS });
  return {
    networks: (signal) => once("networks", (ended) => source.networks(ended), sharing(signal)),
    watcher: (id, signal) => once(`watcher ${id}`, (ended) => source.watcher(id, ended), sharing(signal)),
  };
}

/**
 * A consumer's filter. Names of watchers are looked up before anything is read, and again when an
 * event comes of a watcher not seen before: one of that name may have been made since. A name that is not there is
 * waited for, and nothing is passed over meanwhile.
 */
function filterOf(
  { watchers, filter }: Pick<Filters, "watchers" | "filter">,
  source: Source,
): { filter: Wanted["matches"]; prepare: Wanted["prepare"] } {
  const ids = watchers.filter(isUuid);
  const names = watchers.filter((one) => !isUuid(one));
  const filterWith = (found: readonly string[]) => {
    const whole: EventFilter = { ...filter, watcherIds: [...ids, ...found] };
    return source.library.eventFilter(whole);
  };
  if (names.length === 0) return { filter: filterWith([]), prepare: async () => undefined };

  const idsOf = async (name: string, after: readonly unknown[], signal: AbortSignal): Promise<string[]> => {
    const found: string[] = [];
    // Those that are archived are listed only when they are asked for; their events are still there.
    for (const status of [undefined, ["archived"] as const]) {
      const asked = { name, limit: 50, ...(status ? { status } : {}) };
      const sharing = { signal, maxAgeMs: SHARED_MS, most: Number.MAX_SAFE_INTEGER, after };
      const listed = await listWatchers(source, asked, sharing);
      for (const watcher of listed) if (watcher.name === name) found.push(watcher.watcher_id);
    }
    if (found.length > 0) return found;
    throw new source.library.CrecError(
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
      const found = await Promise.all(names.map((name) => idsOf(name, unseen, signal)));
      passes = filterWith(found.flat());
      for (const id of unseen) seen.add(id);
    },
  };
}
