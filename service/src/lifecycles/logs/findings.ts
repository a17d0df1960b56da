import { isWholeLog, logParams, signatureHash, signatureOf } from "../../../../src/abi/index.ts";
import type { EventFragment, Hex } from "../../../../src/protocol/index.ts";
import type { ReportedLog } from "../../../../src/testing/statements.ts";
import type { Chain } from "../../chain/chain.ts";
import type { RawLog } from "../../chain/chain-data.ts";
import type { Context } from "../../context.ts";
import type { StoredWatcher } from "../../store/watchers.ts";
import { Yielder } from "../../store/yielder.ts";
import { serviceNamed } from "../watcher-services/index.ts";

/** A log as a watcher reports it, with all that the chain says of it. */
export type ReadLog = ReportedLog & { log: RawLog };

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

/**
 * A log, decoded for a watcher; undefined when the watcher does not observe this event.
 *
 * @throws Error when the watcher observes this event, and its ABI does not fit the log.
 */
async function readLog(chain: Chain, watcher: StoredWatcher, log: RawLog): Promise<ReadLog | undefined> {
  if (watcher.address.toLowerCase() !== log.address.toLowerCase()) return undefined;
  if (watcher.fromBlock === undefined || log.blockNumber < watcher.fromBlock) return undefined;
  const service = watcher.service === undefined ? undefined : serviceNamed(watcher.service);
  const found = fragmentOf(watcher, service?.events ?? watcher.abi, log);
  if (found === undefined || service === undefined || watcher.service === undefined) return found;
  const asked = {
    ...{ event: found.fragment.name, address: watcher.address, params: found.params },
    block: { number: log.blockNumber, hash: log.blockHash },
  };
  const data = await service.dataOf(chain, asked, watcher.service_config ?? {});
  return data === undefined ? undefined : { ...found, service: watcher.service, data };
}

/** First topics of the logs that a watcher observes; undefined for an anonymous event, which has none. */
function eventTopics(watcher: StoredWatcher): Hex[] | undefined {
  const abi =
    (watcher.service === undefined ? undefined : serviceNamed(watcher.service)?.events) ?? watcher.abi;
  const asked = abi.filter((fragment) => watcher.events.includes(fragment.name));
  return asked.some((fragment) => fragment.anonymous === true) ? undefined : asked.map(topicOf);
}

function fragmentOf(watcher: StoredWatcher, abi: readonly EventFragment[], log: RawLog): ReadLog | undefined {
  const isAsked = (fragment: EventFragment) => watcher.events.includes(fragment.name);
  const isWhole = (fragment: EventFragment) => {
    try {
      return isWholeLog(fragment, log);
    } catch {
      return false;
    }
  };
  const named = abi.filter((fragment) => fragment.anonymous !== true && topicOf(fragment) === log.topics[0]);
  if (named.length > 0) {
    const asked = named.filter(isAsked);
    const fitting = asked.filter((each) => indexedInputs(each) === log.topics.length - 1);
    const fragment = (fitting.length > 1 ? fitting.find(isWhole) : undefined) ?? fitting[0] ?? asked[0];
    return fragment === undefined ? undefined : { fragment, log, params: logParams(fragment, log) };
  }
  // An anonymous event has no signature topic: the first one whose values are all that the log holds is used.
  for (const fragment of abi) {
    if (fragment.anonymous !== true || !isAsked(fragment)) continue;
    if (indexedInputs(fragment) !== log.topics.length || !isWhole(fragment)) continue;
    try {
      return { fragment, log, params: logParams(fragment, log) };
    } catch {
      // A topic is not one of its values.
    }
  }
  return undefined;
}

function indexedInputs(fragment: EventFragment): number {
  return fragment.inputs.filter((input) => input.indexed === true).length;
}

const topics = new Map<string, Hex>();

function topicOf(fragment: EventFragment): Hex {
  const signature = signatureOf(fragment);
  const known = topics.get(signature);
  if (known !== undefined) return known;
  const topic = signatureHash(signature);
  topics.set(signature, topic);
  return topic;
}
