import { watcherReadings } from "../../../nodes/common/contracts/event-readings.ts";
import { loadLibrary } from "../../../nodes/common/library.ts";
import { readWatchers } from "../../../nodes/common/status/read-watchers.ts";
import { serviceText } from "../../../nodes/common/telemetry/service-texts.ts";
import type { CrecClient, Watcher } from "../../../src/index.ts";
import { canonicalId, canonicalWorkflowId } from "../../../src/protocol/ids.ts";
import { PAGE_LIMITS } from "../../../src/protocol/limits.ts";
import { ALSO_ARCHIVED, channelIdOf, taken } from "../list-resources.ts";
import { channelKey, type ListedWatcher, placeKey } from "./answer-cache.ts";
import type { CheckContext } from "./check-context.ts";
import { deployedContracts, type UsedChannel, usedChannels } from "./deployed.ts";

/** Flows with more are not asked about as a whole. */
const MOST_CHANNELS = 20;
/** Of a channel, and as many archived ones: ten requests each. */
const MOST_LISTED = 500;
/** Of a channel, one request each. What is known is not read again, so each check comes further. */
const MOST_READ = 100;

type AskedChannel = { used: UsedChannel; client: CrecClient; channelId: string; watchers: ListedWatcher[] };

/**
 * Lists the watchers of all channels that flows use, archived ones too: the events that they have signed remain. Reads
 * the ABI of those that are not alone at their contract, or whose contract has a node here.
 */
export async function askWatchers(context: CheckContext, signal: AbortSignal): Promise<void> {
  const { answers } = context;
  const unanswered = (thrown: unknown): void =>
    context.RED.log.debug(`[CRE Connect] The watchers of a channel were not read: ${String(thrown)}`);
  const channels: AskedChannel[] = [];
  for (const used of usedChannels(context).slice(0, MOST_CHANNELS)) {
    const channel = await listed(used, context, signal).catch(unanswered);
    if (channel) channels.push(channel);
  }
  const compared = comparedPlaces(context, channels);
  const library = await loadLibrary();
  for (const { used, client, channelId, watchers } of channels) {
    const unread = watchers
      .filter((one) => compared.has(placeOf(used, one)) && !answers.readings.get(one.id))
      .map(({ id }) => id);
    const source = { client, channelId, signal };
    for await (const watcher of readWatchers(source, unread.slice(0, MOST_READ), unanswered)) {
      answers.readings.set(canonicalId(watcher.watcher_id), watcherReadings(watcher, library));
    }
  }
}

/** Undefined where the channel does not exist. */
async function listed(
  used: UsedChannel,
  { answers }: CheckContext,
  signal: AbortSignal,
): Promise<AskedChannel | undefined> {
  const client = await used.connection.client();
  const channelId = await channelIdOf(client, used.label, signal);
  if (channelId === undefined) return undefined;
  const byId = new Map<string, ListedWatcher>();
  let isWhole = true;
  for (const status of ALSO_ARCHIVED) {
    const filter = { limit: PAGE_LIMITS.watchers.max, ...status };
    const part = await taken(client.watchers.list(channelId, filter, { signal }), MOST_LISTED);
    for (const watcher of part.items) byId.set(canonicalId(watcher.watcher_id), summaryOf(watcher));
    isWhole &&= part.isWhole;
  }
  const watchers = [...byId.values()];
  answers.channels.set(channelKey(used.connection.baseUrl, used.label), { watchers, isWhole });
  return { used, client, channelId, watchers };
}

/** The library checks no field of an answer but its id. */
function summaryOf(watcher: Watcher): ListedWatcher {
  const { watcher_id, name, chain_selector, address, workflow_id, created_at } = watcher;
  return {
    id: canonicalId(watcher_id),
    name: serviceText(name) || watcher_id,
    chainSelector: serviceText(chain_selector),
    address: serviceText(address),
    workflowId: canonicalWorkflowId(serviceText(workflow_id)),
    createdAt: typeof created_at === "number" ? created_at : 0,
  };
}

/** Where there is something to compare: two watchers of a service, or a watcher and a contract node. */
function comparedPlaces(context: CheckContext, channels: readonly AskedChannel[]): ReadonlySet<string> {
  const compared = new Set(
    deployedContracts(context).map(({ contract, connection }) =>
      placeKey(connection.baseUrl, contract.chainSelector, contract.address),
    ),
  );
  const seen = new Map<string, string>();
  for (const { used, watchers } of channels) {
    for (const watcher of watchers) {
      const place = placeOf(used, watcher);
      const other = seen.get(place) ?? watcher.id;
      // Two nodes may name one channel.
      if (other !== watcher.id) compared.add(place);
      seen.set(place, other);
    }
  }
  return compared;
}

function placeOf({ connection }: UsedChannel, { chainSelector, address }: ListedWatcher): string {
  return placeKey(connection.baseUrl, chainSelector, address);
}
