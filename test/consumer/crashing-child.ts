/**
 * A process that drains a channel and ends at some of its events, in the middle of handing them over. Writes into
 * `<folder>/collected` what is processed (`D <offset>`) and what is given up (`R <offset> <why>`).
 * Ends with 0 when all is done.
 */
import { openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { EventConsumer, eventSource } from "../../src/consumer/index.ts";
import { CrecClient } from "../../src/resources/index.ts";
import { FileCursorStore } from "../../src/storage/index.ts";

const [baseUrl = "", folder = "", commit = "on-ack", poison = "", last = ""] = process.argv.slice(2);
const channelId = "00000000-0000-4000-8000-00000000c4a1";
const collected = openSync(join(folder, "collected"), "a");
const client = new CrecClient({ baseUrl, apiKey: "test" });
/** How long the flow works on an event: something of another one may happen meanwhile. */
const WORK_MS = 5;
const deadly = new Set(poison.split(",").map(Number));
const done = Promise.withResolvers<void>();

const note = (line: string, offset: number) => {
  writeSync(collected, `${line}\n`);
  if (offset === Number(last)) done.resolve();
};

const consumer = new EventConsumer({
  source: eventSource(client.events, channelId),
  store: new FileCursorStore({ path: join(folder, "cursor.json") }),
  identity: { consumer: "crashing", channelId, service: "test" },
  start: "beginning",
  commit: commit === "on-send" ? "on-send" : "on-ack",
  inFlight: 5,
  deliver: async ({ event, offset }) => {
    if (commit === "on-ack") await sleep(WORK_MS);
    if (deadly.has(offset)) process.exit(1);
    note(`D ${offset}`, offset);
    consumer.ack(event.event_id);
  },
  onRejected: ({ offset }, why) => note(`R ${offset} ${why}`, offset),
});

// The process that started it is gone.
process.on("disconnect", () => process.exit(2));
consumer.start();
void done.promise.then(async () => {
  await consumer.stop();
  await client.close();
  process.exit(0);
});
