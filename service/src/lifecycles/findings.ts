import { setImmediate as yieldToOthers } from "node:timers/promises";
import type { Hex } from "../../../src/protocol/index.ts";
import { isRefusal, isUnreachable } from "../chain/node/refusals.ts";
import type { Context } from "../context.ts";
import { messageOf } from "../problem.ts";
import type { StoredWatcher } from "../store/watchers.ts";
import type { ReadLog } from "./chain-event.ts";
import { eventTopics, readLog } from "./match.ts";

export type Match = ReadLog & { watcher: StoredWatcher };

/** The logs that watchers found up to a block, and the watchers whose ABI does not fit a log, with the reason. */
export type Findings = { matches: Match[]; misfits: Map<string, string>; to: number };

/** Logs decoded before yielding. */
const BATCH = 16;
const MAX_TOPICS = 32;

/** What the active watchers find from a block on, in the order of the chain. `to` of the answer is where it ended. */
export async function findingsIn(
  { store, chain }: Context,
  { from, to }: { from: number; to: number },
): Promise<Findings> {
  const findings: Findings = { matches: [], misfits: new Map(), to };
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
  for (const [index, log] of logs.entries()) {
    if (index % BATCH === BATCH - 1) await yieldToOthers();
    for (const watcher of watchers) {
      // A watcher that fails does not delay the others.
      if (findings.misfits.has(watcher.watcher_id)) continue;
      try {
        const read = await readLog(chain, watcher, log);
        if (read !== undefined) findings.matches.push({ ...read, watcher });
      } catch (error) {
        if (isRefusal(error) || isUnreachable(error)) throw error;
        findings.misfits.set(watcher.watcher_id, messageOf(error));
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
    // An invalid ABI: the watcher fails at the first log of its contract.
    return undefined;
  }
}
