import { setTimeout as sleep } from "node:timers/promises";
import type { CallOptions } from "../http/index.ts";
import { type ChannelEvent, type EventEnvelope, PAGE_LIMITS } from "../protocol/index.ts";
import { distinctEvents } from "./distinct-events.ts";
import type { Events } from "./events.ts";
import type { SearchEvents } from "./search-filter.ts";

/** The status events of one resource on its channel: which filter finds them. */
export type StatusEvents = { channelId: string; filter: SearchEvents };

/** The longest an explanation may keep a failure waiting, in milliseconds. */
const LONGEST_LOOK_MS = 5_000;
const GAP_MS = 250;

/** A resource has some dozen. Beyond this the service answers with something else. */
const MOST = 1_000;

/** All of them, each once, in the order of the channel. `until` ends the reading, on the clock of `performance.now()`. */
export async function readStatusEvents(
  events: Events,
  { channelId, filter }: StatusEvents,
  options: CallOptions,
  until = Number.POSITIVE_INFINITY,
): Promise<ChannelEvent[]> {
  const search = { ...filter, limit: PAGE_LIMITS.eventsSearch.max };
  const found: ChannelEvent[] = [];
  for await (const event of distinctEvents(events.search(channelId, search, options))) {
    found.push(event);
    if (found.length === MOST || performance.now() > until) break;
  }
  return found.sort((a, b) => a.headers.offset - b.headers.offset);
}

/** The `status_reason` of the newest one with one of these statuses: resources themselves carry none. */
export async function statusReason(
  events: Events,
  which: StatusEvents,
  statuses: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  return reasonOf(await newestOf(events, which, statuses, signal));
}

/** The same where the reason decides what comes next: the search may show the event later than the status. */
export async function shownStatusReason(
  events: Events,
  which: StatusEvents,
  statuses: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const until = performance.now() + LONGEST_LOOK_MS;
  for (;;) {
    const event = await newestOf(events, which, statuses, signal);
    if (event || performance.now() + GAP_MS > until) return reasonOf(event);
    await sleep(GAP_MS, undefined, { signal });
  }
}

async function newestOf(
  events: Events,
  which: StatusEvents,
  statuses: readonly string[],
  signal: AbortSignal,
): Promise<EventEnvelope | undefined> {
  const until = performance.now() + LONGEST_LOOK_MS;
  const found = await readStatusEvents(events, which, { signal, timeoutMs: LONGEST_LOOK_MS }, until);
  return found.findLast(({ payload }: EventEnvelope) => statuses.includes(String(payload.status)));
}

function reasonOf(event: EventEnvelope | undefined): string | undefined {
  const reason = event?.payload.status_reason;
  return typeof reason === "string" && reason.trim() !== "" ? reason.trim() : undefined;
}
