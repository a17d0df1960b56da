/**
 * A process that reads the faulty service in ack mode and is killed while it does. Writes into `<folder>/collected` when
 * it begins (`L`), what arrives (`A <id> <offset> <marks>`, `r` for redelivered, `l` for late), what is processed
 * (`D <id>`), and what is rejected (`R <id>`). Waits for "go", and ends in order on "stop"; sends each id that is done.
 */
import { openSync, writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Delivery, EventConsumer, eventSource } from "../../src/consumer/index.ts";
import { CrecClient } from "../../src/resources/index.ts";
import { type CursorStore, FileCursorStore } from "../../src/storage/index.ts";
import type { Clock } from "../../src/timing/index.ts";
import type { ChaosConsumer } from "./chaos-scenario.ts";

/** How it must not be done. */
export type InjectedBug = "ack-first" | "store-that-forgets" | "stops-at-empty";

export type ChaosChild = ChaosConsumer & {
  baseUrl: string;
  folder: string;
  /** When the faster clock began, in milliseconds since 1970. */
  epochMs: number;
  injectedBug?: InjectedBug;
};

const { baseUrl, folder, epochMs, injectedBug, speed, ...choices }: ChaosChild = JSON.parse(
  process.argv[2] ?? "{}",
);
const channelId = "00000000-0000-4000-8000-00000000c4a1";
const collected = openSync(join(folder, "collected"), "a");
const write = (line: string) => writeSync(collected, `${line}\n`);

const clock: Clock = {
  now: () => epochMs + (Date.now() - epochMs) * speed,
  elapsed: () => performance.now() * speed,
  sleep: (ms, signal) => sleep(ms / speed, undefined, { signal }).catch(() => {}),
};

const client = new CrecClient({
  baseUrl,
  apiKey: "test",
  attemptTimeoutMs: 500,
  timeoutMs: 3_000,
  maxResponseBytes: choices.maxResponseBytes,
});

const files = new FileCursorStore({
  path: join(folder, "cursor.json"),
  minIntervalMs: choices.storeEveryMs,
});
const store: CursorStore =
  injectedBug === "store-that-forgets"
    ? {
        load: () => files.load(),
        save: (state, urgency) => (urgency === "now" ? Promise.resolve() : files.save(state, urgency)),
        close: () => files.close(),
      }
    : files;

const whole = eventSource(client.events, channelId);
let hasEnded = false;
const source: typeof whole =
  injectedBug === "stops-at-empty"
    ? {
        ...whole,
        poll: async (params, signal) => {
          const page = hasEnded ? { events: [], has_more: false } : await whole.poll(params, signal);
          hasEnded = page.events.length === 0;
          return page;
        },
      }
    : whole;

function done(kind: "D" | "R", id: string): void {
  write(`${kind} ${id}`);
  process.send?.(id);
}

async function workOff({ event: { event_id: id } }: Delivery): Promise<void> {
  if (injectedBug === "ack-first") consumer.ack(id);
  if (choices.workMs > 0) await sleep(Math.random() * choices.workMs);
  if (Math.random() * 100 < choices.refuses) {
    consumer.refuse(id, { afterMs: 20 * speed });
    return;
  }
  done("D", id);
  consumer.ack(id);
}

const consumer = new EventConsumer({
  source,
  store,
  identity: { consumer: "chaos", channelId, service: "test" },
  start: choices.start,
  commit: "on-ack",
  inFlight: choices.inFlight,
  pageLimit: choices.pageLimit,
  maxCrashes: choices.maxCrashes,
  maxAttempts: Number.MAX_SAFE_INTEGER,
  // Of real time: nothing is to time out.
  ackTimeoutMs: 600_000 * speed,
  pollMinMs: 20 * speed,
  pollMaxMs: 200 * speed,
  ...(choices.skipsOld ? { catchUp: { skipOlderThanMs: 3_600_000 } } : {}),
  ...(choices.oneType ? { types: ["watcher.status"] } : {}),
  clock,
  deliver: (delivery) => {
    const { event, offset, redelivered, late } = delivery;
    write(`A ${event.event_id} ${offset} ${redelivered ? "r" : "-"}${late ? "l" : "-"}`);
    void workOff(delivery);
  },
  onRejected: ({ event }) => done("R", event.event_id),
  onState: (state) => {
    if (state.kind === "stopped" && state.error) write(`E ${state.error.code}`);
  },
});

process.on("message", (message) => {
  if (message === "go") {
    write("L");
    consumer.start();
  } else void consumer.stop().then(() => process.exit(0));
});
// The process that started it is gone.
process.on("disconnect", () => process.exit(1));
// A process that is killed would not keep what it compiled.
flushCompileCache();
process.send?.("ready");
