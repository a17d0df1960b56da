import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Update } from "../plugins/monitor/types.ts";
import { TOPICS } from "../plugins/monitor/types.ts";
import { harnessFlow } from "../test/support/flow-harness.ts";
import { NodeRed, UserDir } from "../test/support/node-red.ts";
import { channelNode, connectionNode, eventsInNode } from "../test/support/nodes.ts";
import { startSeededService } from "../test/support/seeded-service.ts";
import { type Measured, median } from "./measured.ts";
import { sized } from "./sized.ts";

const READERS = sized(200, 5);
const ROUNDS = sized(5, 2);
/** Longer than the second from one update to the next. */
const WINDOW_MS = sized(10_000, 1_200);
const CLOSED_WINDOW_MS = sized(WINDOW_MS, 300);
const WARM_UP_WINDOWS = sized(2, 0);
const AIM_MS = 5;
const SETTINGS = fileURLToPath(new URL("sidebar-settings.cjs", import.meta.url));
/** Longer than the benchmark: what readers ask is not what is measured. */
const NEVER = "3600";

type Heard = { updates: number; rows: number; bytes: number };

/**
 * What the sidebar costs the main thread of a real Node-RED, over its own web socket: 200 real events in nodes, and
 * 1,000 operations under way. In each second, 20 operations and 20 events change, and each time also the numbers of 50
 * readers. Open and closed in turns; the difference is the cost.
 */
export async function benchSidebar(): Promise<Measured[]> {
  const service = await startSeededService(10);
  const userDir = await UserDir.make();
  const nodeRed = await NodeRed.start(userDir, {}, { settings: SETTINGS });
  try {
    const readers = [...Array(READERS).keys()].map((number) =>
      eventsInNode({ id: `reader-${number}`, verify: false, start: "now", pollMin: NEVER, pollMax: NEVER }),
    );
    const config = [connectionNode(service.ready), channelNode({ channel: service.channelName })];
    await nodeRed.deploy(
      harnessFlow(
        config,
        readers.map((reader) => [reader, 2]),
      ),
    );
    await allReading(nodeRed);
    await nodeRed.fetch("bench/start");
    const [closed, open]: [number[], number[]] = [[], []];
    const heard: Heard = { updates: 0, rows: 0, bytes: 0 };
    // What the start left to do, such as compiling, is not the cost of a closed sidebar.
    for (let window = 0; window < WARM_UP_WINDOWS; window += 1)
      await millisecondsPerSecond(nodeRed, WINDOW_MS);
    for (let round = 0; round < ROUNDS; round += 1) {
      closed.push(await millisecondsPerSecond(nodeRed, CLOSED_WINDOW_MS));
      const close = await openSidebar(nodeRed, heard);
      open.push(await millisecondsPerSecond(nodeRed, WINDOW_MS));
      await close();
    }
    const [before = Number.NaN, ...again] = closed;
    const costs = open.map((ms, round) => ms - (closed[round] ?? Number.NaN));
    const cost = median(costs);
    const ms = (value: number) => `${value.toFixed(1)} ms a second`;
    return [
      { what: `${READERS} readers, 1,000 operations, sidebar closed`, value: ms(median(closed)) },
      { what: "the same with the sidebar open", value: ms(median(open)) },
      { what: "the cost of the open sidebar", value: ms(cost) },
      { what: `  of the aim of ${AIM_MS} ms`, value: (cost / AIM_MS).toFixed(2) },
      { what: "closed again, beyond before it was first open", value: ms(median(again) - before) },
      { what: "updates a second", value: perOpenSecond(heard.updates) },
      { what: "rows a second, without the first ones", value: perOpenSecond(heard.rows) },
      { what: "kB a second", value: perOpenSecond(heard.bytes / 1_000) },
    ];
  } finally {
    await nodeRed.kill();
    await userDir.remove();
    await service.close();
  }
}

function perOpenSecond(count: number): string {
  return (count / ((ROUNDS * WINDOW_MS) / 1_000)).toFixed(1);
}

async function allReading(nodeRed: NodeRed): Promise<void> {
  for (;;) {
    const states = (await (await nodeRed.fetch("bench/readers")).json()) as string[];
    if (states.length === READERS && states.every((state) => state === "reading")) return;
    await sleep(100);
  }
}

/** Processor time of the main thread in a window. */
async function millisecondsPerSecond(nodeRed: NodeRed, windowMs: number): Promise<number> {
  const used = async () => {
    const { user, system } = (await (await nodeRed.fetch("bench/processor")).json()) as NodeJS.CpuUsage;
    return (user + system) / 1_000;
  };
  const [before, begun] = [await used(), performance.now()];
  await sleep(windowMs);
  return (((await used()) - before) / (performance.now() - begun)) * 1_000;
}

/** Opens it as the editor does, and is back when it has all rows. Returns the function that closes it. */
async function openSidebar(nodeRed: NodeRed, heard: Heard): Promise<() => Promise<void>> {
  const socket = new WebSocket(`${nodeRed.url.replace("http", "ws")}comms`);
  await once(socket, "open");
  const send = (topic: string, data: object) => socket.send(JSON.stringify({ topic, data }));
  const { promise: whole, resolve } = Promise.withResolvers<void>();
  let isWhole = false;
  socket.addEventListener("message", ({ data }) => {
    const messages = JSON.parse(String(data)) as Array<{ topic?: string; data?: Update }>;
    for (const { topic, data: update } of messages) {
      if (topic !== TOPICS.update || !update) continue;
      send(TOPICS.seen, { number: update.number });
      if (isWhole) count(heard, update, String(data).length);
      isWhole ||= update.isComplete;
      if (isWhole) resolve();
    }
  });
  const headers = { "content-type": "application/json" };
  const answer = await nodeRed.fetch("crec/monitor/open", { method: "POST", headers, body: "{}" });
  const { ticket } = (await answer.json()) as { ticket: string };
  send(TOPICS.open, { ticket });
  await whole;
  return async () => {
    send(TOPICS.close, {});
    const closed = once(socket, "close");
    socket.close();
    await closed;
  };
}

function count(heard: Heard, { changes }: Update, bytes: number): void {
  heard.updates += 1;
  heard.bytes += bytes;
  for (const change of Object.values(changes)) heard.rows += change.set.length + change.gone.length;
}
