import type { EventFilter } from "../service/src/store/events/events.ts";
import { Store } from "../service/src/store/store.ts";
import type { ManyEvents } from "./many-events.ts";
import { type Measured, median } from "./measured.ts";
import { sized } from "./sized.ts";

/** Shares of all events that the page leaves out: the first page to the last one. */
const OFFSETS = sized([0, 0.5, 0.8, 0.999], [0.5]);
const LIMIT = 50;
const TIMES = sized(15, 1);
/** A search may take so many times as long as with few events, or so much longer. */
const AIM = { times: 3, ms: 3 };

/** The median of each search in ms: every filter, pair and triple, at each offset. */
export type SearchTimes = Map<string, { filters: number; ms: number }>;

/** Filters with few, many and no events, and a range of time. */
function filtersOf(known: ManyEvents): Record<string, EventFilter> {
  return {
    "a type": { type: ["watcher.event"] },
    "two types": { type: ["operation.status", "query.status"] },
    "a name": { event_name: "Transfer" },
    "a name that is nowhere": { event_name: "Nothing" },
    "a service": { service: ["erc20"] },
    "an address": { address: [known.address] },
    "a watcher": { watcher_id: known.watcherId },
    "a watcher with few events": { watcher_id: known.rareWatcherId },
    "a status": { status: ["confirmed"] },
    "a chain": { chain_selector: [known.chainSelector] },
    "a wallet": { wallet_id: known.walletId },
    "an operation": { operation_id: known.operationId },
    "an operation of a wallet": { wallet_operation_id: known.walletOperationId },
    "a query": { query_id: known.queryId },
    "all of the time": { created: { gte: 1 } },
    "a time long ago": { created: { lt: 1000 } },
  };
}

/** Searches in a store of so many events, without HTTP: the same for all sizes, and more than most searches take. */
export async function timeSearches(dataDir: string, known: ManyEvents, size: number): Promise<SearchTimes> {
  const store = new Store(dataDir);
  const found: SearchTimes = new Map();
  try {
    for (const filters of sets(Object.entries(filtersOf(known)))) {
      const filter = Object.assign({}, ...filters.map(([, one]) => one));
      for (const share of OFFSETS) {
        const page = { limit: LIMIT, offset: Math.floor(size * share) };
        const times: number[] = [];
        for (let time = 0; time < TIMES; time += 1) {
          const start = performance.now();
          await store.events.search(known.channelId, filter, page);
          times.push(performance.now() - start);
        }
        const name = `${filters.map(([one]) => one).join(", ")}, offset ${share * 100} %`;
        found.set(name, { filters: filters.length, ms: median(times) });
      }
    }
  } finally {
    store.close();
  }
  return found;
}

/** Each one, each pair and each triple of filters of different columns. */
function sets<T>(filters: Array<[string, T]>): Array<Array<[string, T]>> {
  const column = ([, filter]: [string, T]) => Object.keys(Object(filter))[0];
  const longer = (some: Array<Array<[string, T]>>) =>
    some.flatMap((set) =>
      filters
        .slice(filters.indexOf(set.at(-1) ?? ["", filters[0]?.[1] as T]) + 1)
        .filter((one) => set.every((other) => column(other) !== column(one)))
        .map((one) => [...set, one]),
    );
  const ones = filters.map((one) => [one]);
  const pairs = longer(ones);
  return [...ones, ...pairs, ...longer(pairs)];
}

/** For each number of filters: the slowest search, and how many are beyond the aim with the most events. */
export function searchRows(sizes: readonly SearchTimes[]): Measured[] {
  const [few = new Map(), many = new Map()] = [sizes[0], sizes.at(-1)];
  return ["one filter", "two filters", "three filters"].map((what, index) => {
    const names = [...few].filter(([, { filters }]) => filters === index + 1).map(([name]) => name);
    const ms = (times: SearchTimes, name: string) => times.get(name)?.ms ?? Number.NaN;
    const slowest = sizes.map((times) => Math.max(...names.map((name) => ms(times, name))).toFixed(2));
    const beyond = names.filter((name) => {
      const [first, last] = [ms(few, name), ms(many, name)];
      return last > first * AIM.times && last > first + AIM.ms;
    });
    const more = Math.max(...names.map((name) => ms(many, name) - ms(few, name)));
    return {
      what: `in the store: ${what}, ${names.length} searches`,
      value: `at most ${slowest.join(" ms, ")} ms; ${more.toFixed(2)} ms more; ${beyond.length} of them more than ${AIM.times} times and ${AIM.ms} ms more`,
    };
  });
}
