import type { Hex } from "../../../src/protocol/index.ts";
import type { RawLog } from "../chain/chain-data.ts";
import type { Context } from "../context.ts";
import type { StoredWatcher } from "../store/watchers.ts";
import { Yielder } from "../store/yielder.ts";
import { eventTopics, type ReadLog, readLog } from "./match.ts";

export type Match = ReadLog & { watcher: StoredWatcher };

/** The logs that watchers found up to a block. */
export type Findings = { matches: Match[]; to: number };

/** `choose` returns the logs that are looked at. */
type Range = { from: number; to: number; choose: (logs: RawLog[]) => Promise<RawLog[]> };

const MAX_TOPICS = 32;

/**
 * What the active watchers find from a block on, in the order of the chain. `to` of the answer is where it ended. A log
 * that cannot be read for a watcher is skipped.
 */
export async function findingsIn(
  { store, chain, skipped }: Context,
  { from, to, choose }: Range,
): Promise<Findings> {
  const findings: Findings = { matches: [], to };
  const watchers = store.watchers
    .withStatus(chain.network.chain_selector, "active")
    .filter(({ fromBlock }) => fromBlock !== undefined && fromBlock <= to);
  if (watchers.length === 0) return findings;
  const addresses = [...new Set(watchers.map((watcher) => watcher.address))];
  const topics = askedTopics(watchers);
  if (topics?.length === 0) return findings;
  const { logs, to: last } = await chain.someLogs({
    from,
    to,
    addresses,
    ...(topics === undefined ? {} : { topics: [topics] }),
  });
  findings.to = last;
  const yielder = new Yielder();
  for (const log of await choose(logs)) {
    for (const watcher of watchers) {
      if (yielder.shouldYield()) await yielder.yield();
      try {
        const read = await readLog(chain, watcher, log);
        if (read !== undefined) findings.matches.push({ ...read, watcher });
      } catch (error) {
        skipped.skip(watcher, log, error);
      }
    }
  }
  return findings;
}

/**
 * The first topics of the events that watchers observe, so that other logs of a busy contract are not read. Undefined
 * where any log may match, or where there are more topics than nodes accept.
 */
function askedTopics(watchers: readonly StoredWatcher[]): Hex[] | undefined {
  const asked = new Set<Hex>();
  for (const watcher of watchers) {
    const topics = topicsOf(watcher);
    if (topics === undefined) return undefined;
    for (const topic of topics) asked.add(topic);
  }
  return asked.size > MAX_TOPICS ? undefined : [...asked];
}

function topicsOf(watcher: StoredWatcher): Hex[] | undefined {
  try {
    return eventTopics(watcher);
  } catch {
    // An invalid ABI: each log of its contract is skipped.
    return undefined;
  }
}
