import { setTimeout as sleep } from "node:timers/promises";
import type { EventEnvelope } from "../protocol/index.ts";
import type { Events, SearchEvents } from "./events.ts";

/** The status events of one resource on its channel: which filter finds them. */
export type StatusEvents = { channelId: string; filter: SearchEvents };

/** The longest an explanation may keep a failure waiting, in milliseconds. */
const LONGEST_LOOK_MS = 5_000;
const GAP_MS = 250;

/** All of them, in the order of the channel. */
export async function readStatusEvents(
  events: Events,
  { channelId, filter }: StatusEvents,
  signal: AbortSignal,
): Promise<EventEnvelope[]> {
  const found: EventEnvelope[] = [];
  for await (const event of events.search(channelId, filter, { signal })) found.push(event);
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
  { channelId, filter }: StatusEvents,
  statuses: readonly string[],
  signal: AbortSignal,
): Promise<EventEnvelope | undefined> {
  const options = { signal, timeoutMs: LONGEST_LOOK_MS };
  const page = await events.search(channelId, { ...filter, limit: 50 }, options);
  const newest = page.data.sort((a, b) => b.headers.offset - a.headers.offset);
  return newest.find(({ payload }: EventEnvelope) => statuses.includes(String(payload.status)));
}

function reasonOf(event: EventEnvelope | undefined): string | undefined {
  const reason = event?.payload.status_reason;
  return typeof reason === "string" && reason.trim() !== "" ? reason.trim() : undefined;
}
