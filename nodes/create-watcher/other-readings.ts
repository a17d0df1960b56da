import type { CreateWatcher, CrecClient, Watcher } from "../../src/index.ts";
import { canonicalAddress } from "../../src/protocol/ids.ts";
import {
  type EventReading,
  type EventReadings,
  readDifferently,
  watcherReadings,
} from "../common/contracts/event-readings.ts";
import { loadLibrary } from "../common/library.ts";
import { setNewest } from "../common/shared/collections.ts";
import { readWatchers } from "../common/status/read-watchers.ts";
import { serviceText } from "../common/telemetry/service-texts.ts";

/** Another watcher on the same contract, with the first event that the new one would read differently. */
type OtherReading = { watcherId: string; name: string; reading: EventReading };

/** Two lists and so many reads, the reads eight at once. */
const MOST_READ = 20;
/** A watcher is created all the same, and takes seconds to become active: its creation does not wait for long. */
const LONGEST_MS = 3_000;
const MOST_REMEMBERED = 500;

/** How watchers read their events, by id: that never changes, so a flow that creates many reads each other one once. */
const known = new WeakMap<CrecClient, Map<string, EventReadings>>();

/**
 * Watchers of the channel, also archived ones, that read an event of this contract differently than the new one would:
 * one log then has two signed events with different parameters. None where the service does not answer in time. Never
 * rejects.
 */
export async function otherReadings(
  client: CrecClient,
  channelId: string,
  { request, signal }: { request: CreateWatcher; signal: AbortSignal },
): Promise<OtherReading[]> {
  try {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]);
    return await found({ client, channelId, signal: inTime }, request);
  } catch {
    return [];
  }
}

async function found(
  source: { client: CrecClient; channelId: string; signal: AbortSignal },
  request: CreateWatcher,
): Promise<OtherReading[]> {
  const library = await loadLibrary();
  const own = watcherReadings(request, library);
  // How an unknown service reads its events is not known.
  if (own.size === 0) return [];
  const watchers = await onSameContract(source, request);
  // An archived one keeps its name: the new one will be refused.
  if (watchers.some(({ name }) => name?.trim() === request.name)) return [];
  const readings = known.get(source.client) ?? new Map<string, EventReadings>();
  known.set(source.client, readings);
  const unread = watchers.map(({ watcher_id: id }) => id).filter((id) => !readings.has(id));
  for await (const watcher of readWatchers(source, unread.slice(0, MOST_READ), () => {})) {
    setNewest(readings, watcher.watcher_id, watcherReadings(watcher, library), MOST_REMEMBERED);
  }
  return watchers.flatMap(({ watcher_id: watcherId, name }) => {
    const [reading] = readDifferently(readings.get(watcherId) ?? new Map(), own);
    return reading ? [{ watcherId, name: serviceText(name) || watcherId, reading }] : [];
  });
}

/** One page of those that are not archived, and one of those that are. */
async function onSameContract(
  { client, channelId, signal }: { client: CrecClient; channelId: string; signal: AbortSignal },
  { chain_selector, address }: CreateWatcher,
): Promise<Watcher[]> {
  const filter = { chain_selector, address, limit: MOST_READ };
  const pages = await Promise.all([
    client.watchers.list(channelId, filter, { signal }),
    client.watchers.list(channelId, { ...filter, status: ["archived"] }, { signal }),
  ]);
  const byId = new Map(pages.flatMap(({ data }) => data).map((one) => [one.watcher_id, one]));
  const place = canonicalAddress(address);
  return [...byId.values()].filter(
    (one) => one.chain_selector === chain_selector && canonicalAddress(String(one.address)) === place,
  );
}
