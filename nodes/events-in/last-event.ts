import type { ChannelEvent, CrecClient, SearchEvents } from "../../src/index.ts";
import { PAGE_LIMITS } from "../../src/protocol/index.ts";
import type { Library } from "../lib/runtime/library.ts";
import { nodeError } from "../lib/shared/errors.ts";
import { bareName } from "../lib/shared/event-name.ts";
import type { Filters } from "./filters.ts";
import type { Wanted } from "./watchers.ts";

type Asked = { filters: Pick<Filters, "types" | "filter">; wanted: Wanted };
type Source = {
  events: Pick<CrecClient["events"], "poll" | "search">;
  channelId: string;
  library: Pick<Library, "distinctEvents">;
  signal: AbortSignal;
};

/** A person waits for it. */
const LONGEST_MS = 20_000;

/**
 * The newest event of the channel that the node would send; undefined where there is none. The consumer is neither read
 * nor changed.
 * @throws LAST_EVENT_NOT_FOUND when the search takes too long; what reading the channel throws
 */
export async function findLastEvent(asked: Asked, source: Source): Promise<ChannelEvent | undefined> {
  const timeout = AbortSignal.timeout(LONGEST_MS);
  const limited = { ...source, signal: AbortSignal.any([source.signal, timeout]) };
  try {
    return (await amongNewest(asked, limited)) ?? (await inSearch(asked, limited));
  } catch (error) {
    throw timeout.aborted ? tooSlow() : error;
  }
}

/** One request, which is mostly enough: without an offset, the service gives the newest events. */
async function amongNewest(asked: Asked, { events, channelId, signal }: Source) {
  const { events: page } = await events.poll(channelId, {}, { signal });
  const newestFirst = page.toSorted((one, other) => other.headers.offset - one.headers.offset);
  for (const event of newestFirst) if (await isWanted(event, asked, signal)) return event;
  return undefined;
}

/** The documents of the service do not say in which order a search gives events, so all of them are read. */
async function inSearch(asked: Asked, { events, channelId, library, signal }: Source) {
  const search = { ...narrowed(asked), limit: PAGE_LIMITS.eventsSearch.max };
  let newest: ChannelEvent | undefined;
  for await (const event of library.distinctEvents(events.search(channelId, search, { signal }))) {
    const isNewer = event.headers.offset > (newest?.headers.offset ?? -1);
    if (isNewer && (await isWanted(event, asked, signal))) newest = event;
  }
  return newest;
}

/** As far as the service can search for what the node wants. */
function narrowed({ filters: { types, filter } }: Asked): SearchEvents {
  const { contractEvents: [name, ...others] = [] } = filter;
  if (name === undefined) return types.length > 0 ? { type: types } : {};
  const isOne = others.length === 0;
  return { type: ["watcher.event"], ...(isOne ? { event_name: bareName(name) } : {}) };
}

async function isWanted(event: ChannelEvent, { filters: { types }, wanted }: Asked, signal: AbortSignal) {
  if (types.length > 0 && !types.some((type) => type === event.headers.type)) return false;
  await wanted.prepare([event], signal);
  return wanted.matches(event) && wanted.isConfident(event);
}

function tooSlow(): Error {
  return nodeError(
    "LAST_EVENT_NOT_FOUND",
    "None of the newest events matches, and the search through the older ones took too long. Wait for a new event, or check the filters of this node.",
  );
}
