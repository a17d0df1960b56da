import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { type FlowNode, freshId, NODES_OF_EXAMPLES, NodeRed, UserDir } from "../test/support/node-red.ts";
import { channelNode, connectionNode, eventsInNode } from "../test/support/nodes.ts";
import { SeededService } from "../test/support/seeded-service.ts";
import { sized } from "./sized.ts";

/** One line of the table: what was measured, and how it came out. */
export type Measured = { what: string; value: string };

const EVENTS = sized(20_000, 250);
const ROUNDS = sized(3, 1);
const ARRIVALS = sized(200, 5);
/** Random, so that arrivals fall anywhere between two polls. */
const LONGEST_GAP_MS = 300;
const PAGE = 200;
const TAB = "bench-tab";

/**
 * Draining a channel through a real Node-RED with events in, against the flow one would draw without it, in turns;
 * and how long a new event takes from the store to the flow when the service is asked once a second.
 */
export async function benchEventsInNodeRed(events = EVENTS): Promise<Measured[]> {
  const [service, userDir] = await Promise.all([SeededService.start(events), UserDir.make()]);
  const nodeRed = await NodeRed.start(userDir, {}, { define: [NODES_OF_EXAMPLES] });
  try {
    const channelId = await channelIdOf(service);
    const [ours, drawn]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      ours.push(await drainWithEventsIn(nodeRed, service, events));
      drawn.push(await drainWithDrawnFlow(nodeRed, service, channelId, events));
    }
    const [oursMs, drawnMs] = [median(ours), median(drawn)];
    const delays = await measureDelays(nodeRed, service, channelId);
    const drained = (ms: number) => `${Math.round(events / (ms / 1000))} events/s (${Math.round(ms)} ms)`;
    return [
      { what: `events in → count, ${events} stored events`, value: drained(oursMs) },
      { what: "inject → http request in a loop → split → count", value: drained(drawnMs) },
      { what: "events in is faster by", value: `${(drawnMs / oursMs).toFixed(1)} times` },
      { what: `stored to out of the node, ${ARRIVALS} arrivals, median`, value: `${median(delays)} ms` },
      { what: "the same, 95th percentile", value: `${percentile(delays, 0.95)} ms` },
    ];
  } finally {
    await nodeRed.kill();
    await service.close();
    await userDir.remove();
  }
}

/** Milliseconds from the press of a button until the last event was counted. */
async function drainWithEventsIn(nodeRed: NodeRed, service: SeededService, events: number): Promise<number> {
  const name = freshId();
  const reader = eventsInNode({
    ...{ z: TAB, x: 1, y: 1, verify: false, start: "now", pollMin: "1", pollMax: "1" },
    ...{ inputs: 1, wires: [["count"], []] },
  });
  await nodeRed.deploy([...config(service), button("events"), reader, ...counting(name, events)]);
  await nodeRed.status("events", "connected");
  const start = Date.now();
  await nodeRed.press("start", { topic: "seek", payload: "beginning" });
  return (await counted(nodeRed, name)) - start;
}

/** The same for what stands in a flow without our nodes: pages by offset, until one is empty. */
async function drainWithDrawnFlow(
  nodeRed: NodeRed,
  { ready }: SeededService,
  channelId: string,
  events: number,
): Promise<number> {
  const name = freshId();
  const url = `${ready.base_url}/channels/${channelId}/events?limit=${PAGE}&offset=`;
  const ask = `
    msg.url = ${JSON.stringify(url)} + (msg.next || 1);
    msg.headers = { Authorization: ${JSON.stringify(`Apikey ${ready.api_key}`)} };
    msg.payload = "";
    return msg;`;
  const take = `
    const { events } = msg.payload;
    if (events.length === 0) return null;
    const next = events[events.length - 1].headers.offset + 1;
    return [{ payload: events }, { next }];`;
  await nodeRed.deploy([
    { id: TAB, type: "tab" },
    button("ask"),
    functionNode("ask", ask, [["request"]]),
    { id: "request", z: TAB, type: "http request", x: 1, y: 1, method: "GET", ret: "obj", wires: [["take"]] },
    functionNode("take", take, [["split"], ["ask"]]),
    {
      id: "split",
      z: TAB,
      type: "split",
      x: 1,
      y: 1,
      arraySplt: 1,
      arraySpltType: "len",
      wires: [["count"]],
    },
    ...counting(name, events),
  ]);
  const start = Date.now();
  await nodeRed.press("start");
  return (await counted(nodeRed, name)) - start;
}

/** Milliseconds from before an event was stored until its message was in the flow, one an arrival. */
async function measureDelays(nodeRed: NodeRed, service: SeededService, channelId: string): Promise<number[]> {
  const name = freshId();
  const reader = eventsInNode({
    ...{ z: TAB, x: 1, y: 1, verify: false, start: "now", pollMin: "1", pollMax: "1" },
    ...{ types: ["watcher.status"], wires: [["stamp"], []] },
  });
  const stamp = `
    if (msg.payload.status !== "pending") return null;
    return { payload: { watcherId: msg.payload.watcherId, at: Date.now() } };`;
  await nodeRed.deploy([
    ...config(service),
    reader,
    functionNode("stamp", stamp, [["show"]]),
    shownAs("show", name),
  ]);
  await nodeRed.status("events", "connected");

  const storedAt = new Map<string, number>();
  for (let arrival = 0; arrival < ARRIVALS; arrival += 1) {
    await sleep(Math.random() * LONGEST_GAP_MS);
    const before = Date.now();
    storedAt.set(await createWatcher(service, channelId, `${name}-${arrival}`), before);
  }
  const seen = () => nodeRed.shown(name).map(({ value }) => value as { watcherId: string; at: number });
  await nodeRed.shows(() => seen().length >= ARRIVALS);
  return seen().map(({ watcherId, at }) => at - (storedAt.get(watcherId) ?? Number.NaN));
}

/** Its first event is stored when the call is answered, and a little before. */
async function createWatcher(service: SeededService, channelId: string, name: string): Promise<string> {
  const { base_url, api_key, chain_selector, contracts } = service.ready;
  const abi = [{ type: "event", name: "Ping", anonymous: false, inputs: [] }];
  const answer = await fetch(`${base_url}/channels/${channelId}/watchers`, {
    method: "POST",
    headers: { Authorization: `Apikey ${api_key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ name, chain_selector, address: contracts.DemoToken, events: ["Ping"], abi }),
  });
  if (!answer.ok) throw new Error(`The service stored no event: HTTP ${answer.status}.`);
  return ((await answer.json()) as { watcher_id: string }).watcher_id;
}

async function channelIdOf({ ready, channelName }: SeededService): Promise<string> {
  const headers = { Authorization: `Apikey ${ready.api_key}` };
  const answer = await fetch(`${ready.base_url}/channels?name=${channelName}`, { headers });
  const [channel] = ((await answer.json()) as { data: Array<{ channel_id: string }> }).data;
  if (!channel) throw new Error(`The service has no channel ${channelName}.`);
  return channel.channel_id;
}

function config({ ready, channelName }: SeededService): FlowNode[] {
  return [{ id: TAB, type: "tab" }, connectionNode(ready), channelNode({ channel: channelName })];
}

/** Counts messages, and says when the last one came. */
function counting(name: string, events: number): FlowNode[] {
  const count = `
    const count = (context.get("count") || 0) + 1;
    context.set("count", count);
    return count === ${events} ? { payload: { at: Date.now() } } : null;`;
  return [functionNode("count", count, [["counted"]]), shownAs("counted", name)];
}

async function counted(nodeRed: NodeRed, name: string): Promise<number> {
  return ((await nodeRed.showing(name, () => true, 300_000)).value as { at: number }).at;
}

function button(to: string): FlowNode {
  return { id: "start", z: TAB, type: "inject", x: 1, y: 1, props: [], repeat: "", wires: [[to]] };
}

function functionNode(id: string, func: string, wires: string[][]): FlowNode {
  return { id, z: TAB, type: "function", x: 1, y: 1, func, outputs: wires.length, libs: [], wires };
}

function shownAs(id: string, name: string): FlowNode {
  const shows = { active: true, tosidebar: true, complete: "payload", targetType: "msg" };
  return { id, z: TAB, type: "debug", x: 1, y: 1, name, ...shows, wires: [] };
}

function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  for (const { what, value } of await benchEventsInNodeRed())
    process.stdout.write(`${what.padEnd(64)} ${value}\n`);
}
