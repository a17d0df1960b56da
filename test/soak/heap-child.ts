/** Drains a channel of the given length and says how the heap grew, in MB. Run with --expose-gc. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { EventConsumer, eventSource } from "../../src/consumer/index.ts";
import { CrecClient } from "../../src/resources/index.ts";
import { FileCursorStore } from "../../src/storage/index.ts";

const [baseUrl = "", cursorPath = "", commit = "", count = ""] = process.argv.slice(2);
const channelId = "00000000-0000-4000-8000-00000000c4a1";
const client = new CrecClient({ baseUrl, apiKey: "test" });

async function heapMb(): Promise<number> {
  for (let round = 0; round < 5; round += 1) {
    await nextTurn();
    globalThis.gc?.();
  }
  return process.memoryUsage().heapUsed / 1e6;
}

const drained = Promise.withResolvers<void>();
let delivered = 0;
const consumer: EventConsumer = new EventConsumer({
  source: eventSource(client.events, channelId),
  store: new FileCursorStore({ path: cursorPath }),
  identity: { consumer: "heap", channelId, service: "test" },
  start: "beginning",
  commit: commit === "on-ack" ? "on-ack" : "on-send",
  inFlight: 10,
  deliver: ({ event }) => {
    delivered += 1;
    if (delivered === Number(count)) drained.resolve();
    setImmediate(() => consumer.ack(event.event_id));
  },
});

const before = await heapMb();
consumer.start();
await drained.promise;
const after = await heapMb();
await consumer.stop();
await client.close();
process.stdout.write(JSON.stringify({ before, after }));
