import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "undici";
import {
  CrecClient,
  createVerifier,
  EventConsumer,
  type EventConsumerOptions,
  type EventEnvelope,
  eventSource,
  FileCursorStore,
} from "../src/index.ts";
import type { ServedEvents } from "./event-server.ts";
import { type Measured, median, perSecond } from "./measured.ts";
import { sized } from "./sized.ts";

const EVENTS = sized(20_000, 250);
const ROUNDS = sized(5, 1);
const PAGE = 200;
const CHANNEL_ID = "00000000-0000-4000-8000-00000000c4a1";
const API_KEY = "bench";

/**
 * Draining a channel through client and consumer, against a bare loop that fetches and parses the same pages, and
 * with verification against the rate at which the same proofs are verified alone. In turns, medians; the consumer
 * keeps its place in a file.
 */
export async function benchEvents(events = EVENTS): Promise<Measured[]> {
  const child = fork(join(import.meta.dirname, "event-server.ts"), [String(events)]);
  const folder = await mkdtemp(join(tmpdir(), "bench-events-"));
  try {
    const [{ baseUrl, verification }] = (await once(child, "message")) as [ServedEvents];
    const { verify } = createVerifier(verification);
    const stored = await fetchBare(baseUrl);
    if (!(await verify(stored[0] as EventEnvelope)).verified) throw new Error("The proofs do not hold.");

    let runs = 0;
    const drain = (options: Partial<EventConsumerOptions>) => {
      runs += 1;
      return drainWithConsumer(baseUrl, join(folder, `${runs}.json`), events, options);
    };
    const contestants: Record<string, () => Promise<unknown>> = {
      bare: () => fetchBare(baseUrl),
      onSend: () => drain({}),
      onAck: () => drain({ commit: "on-ack" }),
      proofs: () => createVerifier(verification).verifyAll(stored),
      verified: () => drain({ verify: (event) => verify(event) }),
    };
    const times = await inTurns(contestants);
    const ms = (name: string) => median(times.get(name) ?? []);
    const ratio = (slow: string, fast: string) => (ms(fast) / ms(slow)).toFixed(2);
    return [
      { what: `bare undici loop, ${events} stored events`, value: perSecond(events, ms("bare"), "events") },
      { what: "consumer, on send", value: perSecond(events, ms("onSend"), "events") },
      { what: "  of the bare loop (aim 0.7)", value: ratio("onSend", "bare") },
      { what: "consumer, on ack, one in flight", value: perSecond(events, ms("onAck"), "events") },
      { what: "  of the bare loop", value: ratio("onAck", "bare") },
      { what: "proofs of 3 signatures, alone", value: perSecond(events, ms("proofs"), "proofs") },
      { what: "consumer, on send, verifying", value: perSecond(events, ms("verified"), "events") },
      { what: "  of the proofs alone (aim 0.6)", value: ratio("verified", "proofs") },
    ];
  } finally {
    child.disconnect();
    await rm(folder, { recursive: true });
  }
}

/** Milliseconds of each, round by round, so that a disturbance meets all of them. The first round is not counted. */
async function inTurns(contestants: Record<string, () => Promise<unknown>>): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>();
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, run] of Object.entries(contestants)) {
      const start = performance.now();
      await run();
      if (round > 0) times.set(name, [...(times.get(name) ?? []), performance.now() - start]);
    }
  }
  return times;
}

/** What one would write without us: pages by offset until there is no more. */
async function fetchBare(baseUrl: string): Promise<EventEnvelope[]> {
  const agent = new Agent();
  const all: EventEnvelope[] = [];
  const headers = { authorization: `Apikey ${API_KEY}` };
  for (let offset = 1, hasMore = true; hasMore; ) {
    const path = `/channels/${CHANNEL_ID}/events?limit=${PAGE}&offset=${offset}`;
    const { body } = await agent.request({ origin: baseUrl, path, method: "GET", headers });
    const page = (await body.json()) as { events: EventEnvelope[]; has_more: boolean };
    all.push(...page.events);
    offset = (page.events.at(-1)?.headers.offset ?? offset) + 1;
    hasMore = page.has_more;
  }
  await agent.close();
  return all;
}

async function drainWithConsumer(
  baseUrl: string,
  cursorPath: string,
  events: number,
  options: Partial<EventConsumerOptions>,
): Promise<void> {
  const client = new CrecClient({ baseUrl, apiKey: API_KEY });
  const drained = Promise.withResolvers<void>();
  let delivered = 0;
  const consumer: EventConsumer = new EventConsumer({
    source: eventSource(client.events, CHANNEL_ID),
    store: new FileCursorStore({ path: cursorPath }),
    identity: { consumer: "bench", channelId: CHANNEL_ID, service: baseUrl },
    start: "beginning",
    deliver: ({ event, verification }) => {
      if (verification?.verified === false) drained.reject(new Error(verification.message));
      consumer.ack(event.event_id);
      delivered += 1;
      if (delivered === events) drained.resolve();
    },
    onError: drained.reject,
    ...options,
  });
  consumer.start();
  await drained.promise;
  await consumer.stop();
  await client.close();
}
