import { logParams, signatureHash, signatureOf } from "../../../src/abi/index.ts";
import type { EventFragment, Hex } from "../../../src/protocol/index.ts";
import type { Chain } from "../chain/chain.ts";
import type { RawLog } from "../chain/chain-data.ts";
import type { StoredWatcher } from "../store/watchers.ts";
import type { ReadLog } from "./chain-event.ts";
import { serviceNamed } from "./watcher-services/index.ts";

/**
 * A log read as the watcher asks for it; undefined when it does not ask for this one.
 *
 * @throws Error when the watcher asks for this event, and its ABI does not fit what the contract emits.
 */
export async function readLog(
  chain: Chain,
  watcher: StoredWatcher,
  log: RawLog,
): Promise<ReadLog | undefined> {
  if (watcher.address.toLowerCase() !== log.address.toLowerCase()) return undefined;
  if (watcher.fromBlock === undefined || log.blockNumber < watcher.fromBlock) return undefined;
  const service = watcher.service === undefined ? undefined : serviceNamed(watcher.service);
  const found = fragmentOf(watcher, service?.events ?? watcher.abi, log);
  if (found === undefined || service === undefined || watcher.service === undefined) return found;
  const asked = { event: found.fragment.name, address: watcher.address, params: found.params };
  const data = await service.dataOf(chain, asked, watcher.service_config ?? {});
  return data === undefined ? undefined : { ...found, service: watcher.service, data };
}

/** First topics of the logs that a watcher asks for; undefined where it asks for an anonymous event, which has none. */
export function eventTopics(watcher: StoredWatcher): Hex[] | undefined {
  const abi =
    (watcher.service === undefined ? undefined : serviceNamed(watcher.service)?.events) ?? watcher.abi;
  const asked = abi.filter((fragment) => watcher.events.includes(fragment.name));
  return asked.some((fragment) => fragment.anonymous === true) ? undefined : asked.map(topicOf);
}

function fragmentOf(watcher: StoredWatcher, abi: readonly EventFragment[], log: RawLog): ReadLog | undefined {
  const isAsked = (fragment: EventFragment) => watcher.events.includes(fragment.name);
  const named = abi.filter((fragment) => fragment.anonymous !== true && topicOf(fragment) === log.topics[0]);
  if (named.length > 0) {
    const asked = named.filter(isAsked);
    const fragment = asked.find((each) => indexedInputs(each) === log.topics.length - 1) ?? asked[0];
    return fragment === undefined ? undefined : { fragment, log, params: logParams(fragment, log) };
  }
  // Nothing names an anonymous event: it is the first of the ABI that the log can be read as.
  for (const fragment of abi) {
    if (fragment.anonymous !== true || !isAsked(fragment)) continue;
    if (indexedInputs(fragment) !== log.topics.length) continue;
    try {
      return { fragment, log, params: logParams(fragment, log) };
    } catch {
      // Another one, then.
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
