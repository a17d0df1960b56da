import type { CallOptions } from "../../http/index.ts";
import { type ChannelEvent, type EventEnvelope, PAGE_LIMITS } from "../../protocol/index.ts";
import { POLLS } from "../../retry/policies.ts";
import { pollFor } from "../../retry/poll.ts";
import { sleep } from "../../timing/index.ts";
import type { Events } from "../events.ts";
import type { SearchEvents } from "../requests/search-filter.ts";

/** Where the status events of one resource are found. */
export type StatusEvents = { channelId: string; filter: SearchEvents };

/** For how long, in milliseconds, a failure waits for its reason. */
const MAX_REASON_MS = 5_000;

/** A resource has about a dozen events. More than this, and the service has ignored the filter. */
const MAX_EVENTS = 1_000;

/** All of them, each once, in the order of the channel. Reading ends at `until`, on the clock of `performance.now()`. */
export async function readStatusEvents(
  events: Events,
  { channelId, filter }: StatusEvents,
  options: CallOptions,
  { until = Number.POSITIVE_INFINITY, most = MAX_EVENTS }: { until?: number; most?: number } = {},
): Promise<ChannelEvent[]> {
  const search = { ...filter, limit: PAGE_LIMITS.eventsSearch.max };
  const found: ChannelEvent[] = [];
  for await (const event of events.search(channelId, search, options)) {
    found.push(event);
    if (found.length === most || performance.now() > until) break;
  }
  return found.sort((a, b) => a.headers.offset - b.headers.offset);
}

/** The `status_reason` of the newest event with one of these statuses: the resource itself has no reason. */
export async function statusReason(
  events: Events,
  which: StatusEvents,
  statuses: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  return reasonOf(await newestOf(events, which, statuses, signal));
}

/** The same, but waits for the event, which the search may show later than the status: for a reason that matters. */
export async function shownStatusReason(
  events: Events,
  which: StatusEvents,
  statuses: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const until = performance.now() + MAX_REASON_MS;
  const look = async () => {
    const event = await newestOf(events, which, statuses, signal);
    return event || performance.now() + POLLS.reason.max > until ? { event } : undefined;
  };
  const { event } = await pollFor({ policy: POLLS.reason, look, pause: (ms) => sleep(ms, signal) });
  return reasonOf(event);
}

async function newestOf(
  events: Events,
  which: StatusEvents,
  statuses: readonly string[],
  signal: AbortSignal,
): Promise<EventEnvelope | undefined> {
  const until = performance.now() + MAX_REASON_MS;
  const found = await readStatusEvents(events, which, { signal, timeoutMs: MAX_REASON_MS }, { until });
  return found.findLast(({ payload }: EventEnvelope) => statuses.includes(String(payload.status)));
}

function reasonOf(event: EventEnvelope | undefined): string | undefined {
  const reason = event?.payload.status_reason;
  return typeof reason === "string" && reason.trim() !== "" ? reason.trim() : undefined;
}
