/** Says how much memory so many idle readers need. Run with --expose-gc. */
import { setTimeout as sleep } from "node:timers/promises";
import { CrecClient, EventConsumer, joinChannel, MemoryCursorStore } from "../src/index.ts";
import { IDLE_READERS, type ReaderMemory } from "./fleet-memory.ts";
import { sized } from "./sized.ts";

const [baseUrl = ""] = process.argv.slice(2);
const ROUNDS = sized(10, 2);
const ROUND_MS = sized(500, 50);

process.on("disconnect", () => process.exit());

/** The least while nothing happens: what the heap can give back is not counted. */
async function atRest(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    globalThis.gc?.();
    await sleep(ROUND_MS);
    least = Math.min(least, process.memoryUsage.rss());
  }
  return least;
}

const client = new CrecClient({ baseUrl, apiKey: "bench" });

/** Resolves when it has read to the end of its channel. */
async function startReader(index: number): Promise<void> {
  const channelId = `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
  const connected = Promise.withResolvers<void>();
  const { source, pace } = joinChannel(client.events, channelId);
  const consumer = new EventConsumer({
    ...{ source, pace, store: new MemoryCursorStore(), start: "now", deliver: () => {} },
    identity: { consumer: "bench", channelId, service: baseUrl },
    onState: ({ kind }) => kind === "connected" && connected.resolve(),
    onError: connected.reject,
  });
  consumer.start();
  await connected.promise;
}

const before = await atRest();
await startReader(0);
const oneReader = await atRest();
for (let index = 1; index < IDLE_READERS; index += 1) await startReader(index);
const memory: ReaderMemory = { before, client: oneReader, readers: await atRest() };
process.send?.(memory);
