/**
 * A process that drains a channel and is killed while it does. Writes into `<folder>/collected` what arrives
 * (`A <offset> <redelivered> <attempt>`) and what is processed (`D <offset>`).
 * Waits for the message "go", "go and only take" (nothing is worked on), or "go to the end": then it ends by itself
 * when all is done.
 */
import { openSync, writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Delivery, EventConsumer, eventSource } from "../../src/consumer/index.ts";
import { CrecClient } from "../../src/resources/index.ts";
import { FileCursorStore } from "../../src/storage/index.ts";
import { eventually } from "../support/eventually.ts";
import type { KillMode } from "./kill-runs.ts";

const [baseUrl = "", folder = "", mode = "on-ack"] = process.argv.slice(2);
const channelId = "00000000-0000-4000-8000-00000000c4a1";
const collected = openSync(join(folder, "collected"), "a");
const write = (line: string) => writeSync(collected, `${line}\n`);
const client = new CrecClient({ baseUrl, apiKey: "test" });

/** On send it takes longer, so that there is something in hand when the place is stored. */
let workMs = mode === "on-send" ? 20 : 1;
/** On send, a flow that takes no more than it can hold. */
const HOLDS = 3;
const work: Delivery[] = [];
let arrived = Promise.withResolvers<void>();
/** The test ends this process. */
const WAITS = { withinMs: Number.POSITIVE_INFINITY, pauseMs: 20 };

/** Whether something has arrived in this life. */
let hasBegun = false;

async function workOff(): Promise<void> {
  for (;;) {
    const delivery = work.shift();
    if (delivery !== undefined) await workOn(delivery);
    else await arrived.promise;
  }
}

async function workOn({ event, offset }: Delivery): Promise<void> {
  if (workMs > 0) await sleep(workMs);
  write(`D ${offset}`);
  consumer.ack(event.event_id);
}

const consumer = new EventConsumer({
  source: eventSource(client.events, channelId),
  store: new FileCursorStore({ path: join(folder, "cursor.json"), minIntervalMs: 10 }),
  identity: { consumer: "killed", channelId, service: "test" },
  start: "beginning",
  commit: (mode satisfies string as KillMode) === "on-send" ? "on-send" : "on-ack",
  inFlight: 2,
  onError: (error) => process.stderr.write(`${error.code}: ${error.message}\n`),
  deliver: async (delivery) => {
    if (!hasBegun) process.send?.("begun");
    hasBegun = true;
    write(`A ${delivery.offset} ${delivery.redelivered} ${delivery.attempt}`);
    work.push(delivery);
    arrived.resolve();
    arrived = Promise.withResolvers();
    if (mode === "commit-first") consumer.ack(delivery.event.event_id);
    if (mode === "on-send") await eventually("room in the flow", () => work.length <= HOLDS, WAITS);
  },
});

process.on("message", async (message) => {
  write("L");
  if (message === "go to the end") workMs = 0;
  consumer.start();
  if (message !== "go and only take") void workOff();
  if (message !== "go to the end") return;
  await eventually(
    "the end of the channel",
    () => consumer.state,
    (state) =>
      state.kind === "connected" && state.behind === 0 && state.waitingForAcks === 0 && work.length === 0,
    WAITS,
  );
  await consumer.stop();
  await client.close();
  process.exit(0);
});
// The process that started it is gone.
process.on("disconnect", () => process.exit(1));
// A process that is killed would not keep what it compiled.
flushCompileCache();
process.send?.("ready");
