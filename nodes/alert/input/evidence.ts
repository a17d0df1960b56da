import type {
  AlertEvidence,
  ChannelEvent,
  DecodedWatcherEvent,
  HighestConfidence,
  LogPlace,
} from "../../../src/index.ts";
import { canonicalId } from "../../../src/protocol/ids.ts";
import { isEvent } from "../../../src/protocol/index.ts";
import { channelOf } from "../../common/fields/config-nodes.ts";
import type { FlowNodes } from "../../common/fields/flow-settings.ts";
import type { Library } from "../../common/library.ts";
import { isRedelivered } from "../../common/messages/event-message.ts";
import type { CrecMessage } from "../../common/messages/message.ts";
import { override } from "../../common/messages/message.ts";
import { levelsOf } from "../../common/status/channel-progress.ts";
import { provenEventOf, timeOf } from "./event-facts.ts";

/** A service that does not answer must not hold up an alert. */
const LONGEST_MS = 2_000;
const MOST_CHANNELS = 100;

/** What a message proves about the chain; undefined if it is no evidence for or against an alert. */
export async function evidenceOf(
  msg: CrecMessage,
  {
    decodeEvent,
    logPlaceOf,
    blockEvidenceOf,
  }: Pick<Library, "decodeEvent" | "logPlaceOf" | "blockEvidenceOf">,
  levels: Levels,
  signal: AbortSignal,
): Promise<AlertEvidence | undefined> {
  const event = provenEventOf(msg);
  if (event === undefined) return undefined;
  let log: LogPlace | undefined;
  try {
    if (!isEvent(event, "watcher.event")) return blockEvidenceOf(event);
    // Without an ABI: the contents of two logs are compared, and the form may choose another one meanwhile.
    log = logPlaceOf(decodeEvent(event) as DecodedWatcherEvent);
  } catch {
    // A message that was written by hand.
  }
  if (log === undefined) return undefined;
  const isHighest = await levels.isHighest(event, override(msg, "channelId"), signal);
  return {
    kind: "log",
    log,
    at: timeOf(msg, Date.now()) ?? Date.now(),
    ...(isHighest === undefined ? {} : { isHighest }),
    ...(isRedelivered(msg) ? { redelivered: true } : {}),
  };
}

/** Whether an event has the highest level that is reported for it, so that its alert cannot be confirmed any more. */
export class Levels {
  readonly #nodes: FlowNodes;
  /** The id of the chosen channel node; empty for none. */
  readonly #channel: string;
  readonly #library: Pick<Library, "HighestConfidence" | "levelSource">;
  readonly #highest = new Map<string, HighestConfidence>();

  constructor(
    nodes: FlowNodes,
    channel: string,
    library: Pick<Library, "HighestConfidence" | "levelSource">,
  ) {
    this.#nodes = nodes;
    this.#channel = channel;
    this.#library = library;
  }

  /** Undefined if it cannot be determined now. Never rejects. */
  async isHighest(
    event: ChannelEvent,
    channelId: string | undefined,
    signal: AbortSignal,
  ): Promise<boolean | undefined> {
    const ends = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]);
    try {
      const highest = await this.#of(channelId, ends);
      await highest?.learn([event], ends);
      return highest?.passes(event);
    } catch {
      return undefined;
    }
  }

  async #of(channelId: string | undefined, signal: AbortSignal): Promise<HighestConfidence | undefined> {
    const key = channelId === undefined ? "" : canonicalId(channelId);
    const known = this.#highest.get(key);
    if (known) return known;
    const source = this.#channel === "" ? channelId && levelsOf(channelId) : await this.#ofChosen(signal);
    if (!source) return undefined;
    const made = new this.#library.HighestConfidence(source);
    // Ids come from messages, so their number is limited.
    if (this.#highest.size >= MOST_CHANNELS) this.#highest.clear();
    this.#highest.set(key, made);
    return made;
  }

  async #ofChosen(signal: AbortSignal) {
    const channel = channelOf(this.#nodes, this.#channel);
    const client = await channel.connection().client();
    return this.#library.levelSource(client, await channel.resolve(signal));
  }
}
