import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startAnvil } from "../service/src/chain/anvil/anvil.ts";
import { spawnService, temporaryFolder } from "../service/test/support.ts";
import { comparePages, type Get, getter, PAGE } from "./compare-pages.ts";
import { fillStore, type ManyEvents } from "./many-events.ts";
import { type Measured, median } from "./measured.ts";
import { memoryOf, skippedOffLinux } from "./memory.ts";
import { type SearchTimes, searchRows, timeSearches } from "./searches.ts";
import { sized } from "./sized.ts";

const SIZES = sized([1000, 100_000, 1_000_000], [500, 1000]);
const PAGES = 5;
const PAGE_REQUESTS = sized(400, 4);
/** Of each search; a tenth of the slow ones. */
const SEARCHES = sized(200, 3);
const SLOW_MS = 20;

type Took = { p50: number; p99: number; others: number };
type Measures = {
  size: number;
  fillMs: number;
  pages: number;
  bare: number;
  /** The longest wait of a call while nothing is searched for: what the machine itself adds. */
  alone: number;
  searches: Map<string, Took>;
  inStore: SearchTimes;
  memory: number;
  mostMemory: number;
  bytes: number;
};

/** What one searches for, by its query; those that no index makes short come last. */
function searchesOf(known: ManyEvents, size: number): Record<string, string> {
  return {
    "without a filter": "",
    "the second half, by offset": `offset=${size / 2}`,
    "one type": "type=watcher.event",
    "two types": "type=operation.status&type=query.status",
    "an event's name": "event_name=Transfer",
    "an address": `address=${known.address}`,
    "a watcher, one event of 20": `watcher_id=${known.watcherId}`,
    "a watcher with 7 events": `watcher_id=${known.rareWatcherId}`,
    "a type, a service and a name": "type=watcher.event&service=erc20&event_name=Approval",
    "an operation": `operation_id=${known.operationId}`,
    "a query": `query_id=${known.queryId}`,
    "a time, all of it": "created.gte=1",
    "a time long ago": "created.lt=1000",
    "nothing: a name that is nowhere": "event_name=Nothing",
    "nothing: two filters of many events each": "event_name=Transfer&service=erc20",
    "a type, 80 % of all left out by offset": `type=watcher.event&offset=${Math.floor(size * 0.8)}`,
  };
}

/** The service with few and with very many events of one channel: what changes. */
export async function benchGrowth(): Promise<Measured[]> {
  const measures: Measures[] = [];
  for (const size of SIZES) measures.push(await measure(size));
  const [few, ...more] = measures;
  if (few === undefined) return [];
  const ratio = (of: (one: Measures) => number) =>
    more.map((one) => (of(one) / of(few)).toFixed(2)).join(" and ");
  const row = (what: string, of: (one: Measures) => number, unit: string, digits = 0) => ({
    what,
    value: `${measures.map((one) => `${of(one).toFixed(digits)} ${unit}`.trimEnd()).join(", ")}; ${ratio(of)} of the first`,
  });
  const names = [...few.searches.keys()];
  return [
    { what: "events of one channel", value: SIZES.map((size) => size.toLocaleString("en")).join(", ") },
    row("written into the store", ({ size, fillMs }) => (size / fillMs) * 1000, "events/s"),
    row("database", ({ bytes }) => bytes / 1e6, "MB"),
    row("  for each event", ({ bytes, size }) => bytes / size, "bytes"),
    ...[
      row("memory at rest", ({ memory }) => memory, "MiB"),
      row("  at most", ({ mostMemory }) => mostMemory, "MiB"),
    ].map(({ what, value }) => ({ what, value: skippedOffLinux ?? value })),
    row(`pages of ${PAGE} events`, ({ pages }) => pages, "pages/s"),
    row("  of bare node:http, the same as bytes (aim 0.8)", ({ pages, bare }) => pages / bare, "", 2),
    row(`the longest wait of ${SEARCHES} short calls alone`, ({ alone }) => alone, "ms", 1),
    ...names.flatMap((name) => {
      const took = (one: Measures) =>
        one.searches.get(name) ?? { p50: Number.NaN, p99: Number.NaN, others: Number.NaN };
      return [
        row(`search: ${name}, p50`, (one) => took(one).p50, "ms", 2),
        {
          what: "  p99; the longest wait of another call meanwhile",
          value: `${measures.map((one) => `${took(one).p99.toFixed(1)} ms`).join(", ")}; ${measures.map((one) => `${took(one).others.toFixed(1)} ms`).join(", ")}`,
        },
      ];
    }),
    ...searchRows(measures.map(({ inStore }) => inStore)),
  ];
}

async function measure(size: number): Promise<Measures> {
  const folder = temporaryFolder();
  const dataDir = join(folder.path, "data");
  const start = performance.now();
  const known = fillStore(dataDir, size);
  const fillMs = performance.now() - start;
  const inStore = await timeSearches(dataDir, known, size);
  const { size: bytes } = statSync(join(dataDir, "service.sqlite"));
  const chain = await startAnvil(join(folder.path, "node"));
  // A strict service refuses to search by operation and by query.
  const args = ["--rpc-url", chain.rpcUrl, "--block-time", "1000", "--no-strict"];
  const { api, child, exited } = await spawnService(dataDir, { args });
  const { get, agent } = getter(api.ready.api_key);
  try {
    const { base_url } = api.ready;
    const memory = memoryOf(child.pid ?? 0, "VmRSS");
    const { pages, bare } = await comparePages({
      ...{ get, service: base_url, requests: PAGE_REQUESTS, ready: PAGES },
      pathOf: (page) => {
        const offset = 1 + Math.floor(((page % PAGES) * size) / PAGES);
        return `/channels/${known.channelId}/events?limit=${PAGE}&offset=${offset}`;
      },
    });
    const { others: alone } = await timeSearch(get, base_url, "/health-check");
    const searches = new Map<string, Took>();
    for (const [name, query] of Object.entries(searchesOf(known, size))) {
      const path = `/channels/${known.channelId}/events/search?${query}`;
      searches.set(name, await timeSearch(get, base_url, path));
    }
    const mostMemory = memoryOf(child.pid ?? 0, "VmHWM");
    return { size, fillMs, pages, bare, alone, searches, inStore, memory, mostMemory, bytes };
  } finally {
    await agent.close();
    child.kill("SIGTERM");
    await exited;
    await chain.stop();
    folder.dispose();
  }
}

/** One search after the other, while another caller asks for something short all the time. */
async function timeSearch(get: Get, service: string, path: string): Promise<Took> {
  const times: number[] = [];
  const once = async () => {
    const start = performance.now();
    await get(service, path);
    return performance.now() - start;
  };
  for (let warm = 0; warm < 3; warm += 1) await once();
  let isOver = false;
  const waits: number[] = [];
  const other = (async () => {
    while (!isOver) {
      const start = performance.now();
      await get(service, "/health-check");
      waits.push(performance.now() - start);
      await sleep(2);
    }
  })();
  try {
    let count = SEARCHES;
    while (times.length < count) {
      times.push(await once());
      if (times.length === 3 && median(times) > SLOW_MS) count = SEARCHES / 10;
    }
  } finally {
    isOver = true;
    await other;
  }
  times.sort((a, b) => a - b);
  const p99 = times[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN;
  return { p50: median(times), p99, others: Math.max(...waits) };
}
