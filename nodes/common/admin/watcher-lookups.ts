import type { CrecClient, Watcher } from "../../../src/index.ts";
import { loadLibrary } from "../library.ts";
import type { Choices } from "../shared/form-types.ts";
import { readWatchers, type WatcherSource } from "../status/read-watchers.ts";

type WatchedEvent = { name: string; signature: string | undefined };

/** More watchers than these are not read one by one: each takes a request. */
const MOST = 100;
const MOST_REMEMBERED = 1_000;

/** The events of watchers by their id, which never change; of those that were read last. */
const known = new WeakMap<CrecClient, Map<string, WatchedEvent[]>>();

/** The names of the events that the watchers of a channel have. Archived watchers send nothing. */
export async function watchedEvents({ client, channelId, signal }: WatcherSource): Promise<Choices> {
  const { watchers, isCut } = await listed({ client, channelId, signal });
  const events = known.get(client) ?? new Map<string, WatchedEvent[]>();
  known.set(client, events);
  const unread = watchers.map(({ watcher_id: id }) => id).filter((id) => !events.has(id));
  for await (const watcher of readWatchers({ client, channelId, signal }, unread)) {
    events.set(watcher.watcher_id, await eventsOf(watcher));
  }
  const found = new Map<string, { event: WatchedEvent; watchers: string[] }>();
  for (const { watcher_id: id, name = id } of watchers) {
    for (const event of events.get(id) ?? []) {
      const key = event.signature ?? event.name;
      const one = found.get(key) ?? { event, watchers: [] };
      one.watchers.push(name);
      found.set(key, one);
    }
  }
  const all = [...found.values()].sort((one, other) => one.event.name.localeCompare(other.event.name));
  const isAmbiguous = ({ name }: WatchedEvent) => all.filter(({ event }) => event.name === name).length > 1;
  // Only now: the loop above needs all of this channel.
  forgetOldest(events);
  const choices = all.map(({ event, watchers: its }) => {
    const value = isAmbiguous(event) ? (event.signature ?? event.name) : event.name;
    return { value, label: value, detail: its.join(", ") };
  });
  return { choices, ...(isCut ? { cut: true } : {}) };
}

/** The levels of confidence at which the watchers of a channel report; those of all networks while there are none. */
export async function reportedLevels({ client, channelId, signal }: WatcherSource): Promise<Choices> {
  const [{ watchers }, networks] = await Promise.all([
    listed({ client, channelId, signal }),
    client.networks.list({ signal }),
  ]);
  const byNetwork = new Map(
    networks.map((network) => [network.chain_selector, network.default_confidence_level]),
  );
  const levels =
    watchers.length === 0
      ? [...byNetwork.values()]
      : watchers.map((watcher) => watcher.confidence_level ?? byNetwork.get(watcher.chain_selector));
  const stated = new Set(levels.map((level) => level ?? ""));
  return { choices: [...stated].map((level) => ({ value: level, label: level })) };
}

function forgetOldest(events: Map<string, WatchedEvent[]>): void {
  for (const oldest of events.keys()) {
    if (events.size <= MOST_REMEMBERED) return;
    events.delete(oldest);
  }
}

async function listed({
  client,
  channelId,
  signal,
}: WatcherSource): Promise<{ watchers: Watcher[]; isCut: boolean }> {
  const watchers: Watcher[] = [];
  for await (const watcher of client.watchers.list(channelId, { limit: 50 }, { signal })) {
    if (watcher.status === "archived") continue;
    if (watchers.length === MOST) return { watchers, isCut: true };
    watchers.push(watcher);
  }
  return { watchers, isCut: false };
}

async function eventsOf({ events = [], abi = [] }: Watcher): Promise<WatchedEvent[]> {
  const { listEvents, readAbi } = await loadLibrary();
  const signatures = new Map<string, string>();
  try {
    for (const { name, signature } of listEvents(readAbi(abi).abi)) signatures.set(name, signature);
  } catch {
    // The names are enough.
  }
  const names = events.length > 0 ? events : [...signatures.keys()];
  return [...new Set(names)].map((name) => ({ name, signature: signatures.get(name) }));
}
