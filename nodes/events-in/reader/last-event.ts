import type { ChannelEvent, CrecClient, SearchEvents, Verification } from "../../../src/index.ts";
import { PAGE_LIMITS } from "../../../src/protocol/index.ts";
import type { Library } from "../../common/library.ts";
import { nodeError } from "../../common/shared/errors.ts";
import { bareName } from "../../common/shared/text.ts";
import type { Wanted } from "./selection.ts";
import type { Filters } from "./settings.ts";

type Asked = { filters: Pick<Filters, "types" | "filter">; wanted: Wanted };
type Source = {
  events: Pick<CrecClient["events"], "poll" | "search">;
  channelId: string;
  signal: AbortSignal;
};

/** A person waits for it. */
const LONGEST_MS = 20_000;
/** Of the events that match, those that are compared with the newest one. */
const COMPARED = 200;

/**
 * The newest events of the channel that the node would send, the newest first: at most 200, and of one page if that has
 * any. The consumer is neither read nor changed.
 * @throws LAST_EVENT_NOT_FOUND when the search takes too long; what reading the channel throws
 */
export async function findLastEvents(asked: Asked, source: Source): Promise<ChannelEvent[]> {
  const timeout = AbortSignal.timeout(LONGEST_MS);
  const limited = { ...source, signal: AbortSignal.any([source.signal, timeout]) };
  try {
    const newest = await amongNewest(asked, limited);
    return newest.length > 0 ? newest : await inSearch(asked, limited);
  } catch (error) {
    throw timeout.aborted ? tooSlow() : error;
  }
}

/**
 * The log of the newest event, where another verified event reads that log otherwise: two watchers have different ABIs.
 */
export async function contradictedLog(
  [newest, ...others]: readonly ChannelEvent[],
  verify: (event: ChannelEvent) => Promise<Verification>,
  { dedupeKey, eventKeyOf, paramsDigest }: Pick<Library, "dedupeKey" | "eventKeyOf" | "paramsDigest">,
): Promise<string | undefined> {
  const digest = newest && paramsDigest(newest);
  if (newest === undefined || digest === undefined) return undefined;
  const log = eventKeyOf(dedupeKey(newest));
  for (const other of others) {
    const otherDigest = paramsDigest(other);
    if (otherDigest === undefined || otherDigest === digest || eventKeyOf(dedupeKey(other)) !== log) continue;
    if ((await verify(other)).verified) return log;
  }
  return undefined;
}

/** One request, which is mostly enough: without an offset, the service gives the newest events. */
async function amongNewest(asked: Asked, { events, channelId, signal }: Source): Promise<ChannelEvent[]> {
  const { events: page } = await events.poll(channelId, {}, { signal });
  const found: ChannelEvent[] = [];
  for (const event of newestFirst(page)) if (await isWanted(event, asked, signal)) found.push(event);
  return found.slice(0, COMPARED);
}

/** The documents of the service do not say in which order a search gives events, so all of them are read. */
async function inSearch(asked: Asked, { events, channelId, signal }: Source): Promise<ChannelEvent[]> {
  const search = { ...narrowed(asked), limit: PAGE_LIMITS.eventsSearch.max };
  let found: ChannelEvent[] = [];
  for await (const event of events.search(channelId, search, { signal })) {
    if (await isWanted(event, asked, signal)) found.push(event);
    if (found.length === 2 * COMPARED) found = newestFirst(found).slice(0, COMPARED);
  }
  return newestFirst(found).slice(0, COMPARED);
}

function newestFirst(events: readonly ChannelEvent[]): ChannelEvent[] {
  return events.toSorted((one, other) => other.headers.offset - one.headers.offset);
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
