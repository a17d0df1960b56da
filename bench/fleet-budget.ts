import { setTimeout as sleep } from "node:timers/promises";
import { CrecClient, EventConsumer, joinChannel, MemoryCursorStore } from "../src/index.ts";
import { storedEvent } from "../test/consumer/event-server.ts";
import { percentile } from "../test/fleet/faults/times.ts";
import type { Measured } from "./measured.ts";
import { sized } from "./sized.ts";

const CHANNELS = sized(1_000, 40);
/** Of these: they have a new event whenever they are asked. */
const BUSY = sized(50, 2);
const PER_MINUTE = sized(600, 2_400);
const MINUTE_MS = 60_000;
/** Until each channel was asked, and again. */
const WARM_UP_MS = 2 * (CHANNELS / PER_MINUTE) * MINUTE_MS;
const WINDOW_MS = sized(6 * MINUTE_MS, 2_500);

type Dispatcher = NonNullable<ConstructorParameters<typeof CrecClient>[0]["dispatcher"]>;

/** How often each of many channels is asked where a connection may make fewer calls than its readers would like. */
export async function benchBudget(): Promise<Measured[]> {
  const asked = Array.from({ length: CHANNELS }, (): number[] => []);
  const dispatcher: Dispatcher = {
    request: async ({ path }) => {
      const index = Number(/-0*(\d+)\/events/.exec(path)?.[1] ?? Number.NaN);
      asked[index]?.push(performance.now());
      const from = Number(/offset=(\d+)/.exec(path)?.[1] ?? 0);
      const end = index < BUSY ? (asked[index]?.length ?? 0) : 0;
      const offsets = Array.from({ length: end }, (_, before) => before + 1).filter((one) => one >= from);
      const events = offsets.map((offset) => storedEvent(offset));
      const text = JSON.stringify({ events, has_more: false });
      const body = { bytes: async () => new TextEncoder().encode(text), text: async () => text };
      return { statusCode: 200, headers: { "content-type": "application/json" }, body };
    },
  };
  const client = new CrecClient({
    baseUrl: "http://localhost",
    apiKey: "bench",
    dispatcher,
    requestsPerMinute: PER_MINUTE,
  });
  const failed = Promise.withResolvers<never>();
  const consumers = asked.map((_, index) => {
    const channelId = channelIdAt(index);
    const { source, pace } = joinChannel(client.events, channelId);
    return new EventConsumer({
      ...{ source, pace, store: new MemoryCursorStore(), start: "beginning", deliver: () => {} },
      identity: { consumer: "bench", channelId, service: "http://localhost" },
      onError: failed.reject,
    });
  });
  for (const consumer of consumers) consumer.start();
  try {
    await Promise.race([sleep(WARM_UP_MS), failed.promise]);
    const since = performance.now();
    await Promise.race([sleep(WINDOW_MS), failed.promise]);
    const gaps = asked.map((times) => gapsSince(times, since));
    const calls = asked.flat().filter((at) => at >= since).length;
    const spread = (some: readonly number[][]) => {
      const all = some.flat();
      const [least, middle, most] = [0, 0.5, 1].map((part) => (percentile(all, part) / 1_000).toFixed(0));
      return `every ${middle} s, least ${least} s, most ${most} s`;
    };
    const perMinute = calls / (WINDOW_MS / MINUTE_MS);
    return [
      {
        what: `calls for ${CHANNELS} channels`,
        value: `${perMinute.toFixed(0)} a minute (${PER_MINUTE} allowed)`,
      },
      { what: `each of ${CHANNELS - BUSY} quiet channels`, value: spread(gaps.slice(BUSY)) },
      { what: `each of ${BUSY} busy channels`, value: spread(gaps.slice(0, BUSY)) },
    ];
  } finally {
    await Promise.all(consumers.map((consumer) => consumer.stop()));
    await client.close();
  }
}

function channelIdAt(index: number): string {
  return `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
}

function gapsSince(times: readonly number[], since: number): number[] {
  return times.slice(1).flatMap((at, index) => (at >= since ? [at - (times[index] ?? at)] : []));
}
