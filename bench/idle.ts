import { Agent } from "undici";
import { CrecClient, EventConsumer, eventSource, MemoryCursorStore } from "../src/index.ts";
import { FastClock } from "./fast-clock.ts";
import type { Measured } from "./measured.ts";
import { ServiceBench } from "./service.ts";
import { sized } from "./sized.ts";

const EVENTS = sized(300, 10);
const MINUTE_MS = 60_000;
/** Until its looks have grown as far apart as they get. */
const WARM_UP_MINUTES = sized(60, 5);
const MINUTES = sized(240, 10);
const AIM_MB = 10;

type Traffic = { calls: number; bytes: number };

/** What a consumer at its usual intervals asks of a channel in which nothing happens, as bodies on the wire. */
export async function benchIdle(): Promise<Measured[]> {
  const bench = await ServiceBench.start();
  try {
    await bench.api.transferWatcher(bench.channelId);
    await bench.takeLogs(EVENTS);
    const plain = await idle(bench, "identity");
    const compressed = await idle(bench);
    const shown = ({ calls, bytes }: Traffic) =>
      `${perDay(bytes).toFixed(1)} MB a day, ${(calls / MINUTES).toFixed(1)} calls a minute`;
    return [
      { what: "an idle consumer, without compression", value: shown(plain) },
      { what: "an idle consumer, as it is", value: shown(compressed) },
      { what: "  of that without compression", value: (compressed.bytes / plain.bytes).toFixed(2) },
      { what: `  of the aim of ${AIM_MB} MB`, value: (perDay(compressed.bytes) / AIM_MB).toFixed(2) },
    ];
  } finally {
    await bench.end();
  }
}

/** `encoding` is asked for instead of what the client asks for. */
async function idle({ api, channelId }: ServiceBench, encoding?: string): Promise<Traffic> {
  const agent = new Agent();
  const traffic: Traffic & { underWay: number } = { calls: 0, bytes: 0, underWay: 0 };
  const dispatcher: NonNullable<ConstructorParameters<typeof CrecClient>[0]["dispatcher"]> = {
    request: async (options) => {
      const headers = { ...options.headers, ...(encoding ? { "accept-encoding": encoding } : {}) };
      const answer = await agent.request({ ...options, headers });
      const bytes = await answer.body.bytes();
      traffic.calls += 1;
      traffic.bytes += bytes.length;
      const body = { bytes: async () => bytes, text: async () => new TextDecoder().decode(bytes) };
      return { statusCode: answer.statusCode, headers: answer.headers, body };
    },
  };
  const { base_url: baseUrl, api_key: apiKey } = api.ready;
  const client = new CrecClient({ baseUrl, apiKey, dispatcher });
  const clock = new FastClock(() => traffic.underWay > 0);
  const source = eventSource(client.events, channelId);
  const counted = async <T>(work: Promise<T>): Promise<T> => {
    traffic.underWay += 1;
    return work.finally(() => {
      traffic.underWay -= 1;
    });
  };
  const failed = Promise.withResolvers<never>();
  const consumer = new EventConsumer({
    source: {
      poll: (position, signal) => counted(source.poll(position, signal)),
      get: (eventId, signal) => counted(source.get(eventId, signal)),
    },
    store: new MemoryCursorStore(),
    identity: { consumer: "bench", channelId, service: baseUrl },
    start: "now",
    deliver: () => {},
    onError: failed.reject,
    clock,
  });
  consumer.start();
  const run = (minutes: number) => Promise.race([clock.run(minutes * MINUTE_MS), failed.promise]);
  await run(WARM_UP_MINUTES);
  Object.assign(traffic, { calls: 0, bytes: 0 });
  await run(MINUTES);
  const { calls, bytes } = traffic;
  await Promise.all([consumer.stop(), client.close(), agent.close()]);
  return { calls, bytes };
}

function perDay(bytes: number): number {
  return (bytes / 1e6) * ((24 * 60) / MINUTES);
}
