import type { NodeAPI } from "node-red";
import type { ChannelEvent, HighestConfidence } from "../../src/index.ts";
import { canonicalId } from "../../src/protocol/ids.ts";
import { channelOf } from "../common/fields/config-nodes.ts";
import type { Library } from "../common/library.ts";
import { levelsOf } from "../common/status/channel-progress.ts";

/** A service that does not answer must not hold up an alert. */
const LONGEST_MS = 2_000;
const MOST_CHANNELS = 100;

/** Whether an event has the highest level that is reported for it, so that its alert cannot be confirmed any more. */
export class Levels {
  readonly #RED: NodeAPI;
  /** The id of the chosen channel node; empty for none. */
  readonly #channel: string;
  readonly #library: Pick<Library, "HighestConfidence" | "levelSource">;
  readonly #highest = new Map<string, HighestConfidence>();

  constructor(RED: NodeAPI, channel: string, library: Pick<Library, "HighestConfidence" | "levelSource">) {
    this.#RED = RED;
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
    const channel = channelOf(this.#RED.nodes, this.#channel);
    const client = await channel.connection().client();
    return this.#library.levelSource(client, await channel.resolve(signal));
  }
}
