import { CrecError } from "../../errors.ts";
import { aList, callable, like, reading, signal as signalKind, text } from "../../options/index.ts";
import {
  CONFIDENCES,
  canonicalId,
  type EventEnvelope,
  eventTypeOf,
  isUuid,
  type Network,
  type Watcher,
} from "../../protocol/index.ts";
import { asText, type ContractEvent, rankOf, readContractEvent } from "../filter.ts";

/** Where the levels of networks and watchers are read. */
export type LevelSource = {
  networks(
    signal: AbortSignal,
  ): Promise<ReadonlyArray<Pick<Network, "chain_selector" | "default_confidence_level">>>;
  watcher(watcherId: string, signal: AbortSignal): Promise<Pick<Watcher, "confidence_level">>;
};

/** The part of the client that gives the levels of a channel. */
export type LevelCalls = {
  networks: { list(options: { signal: AbortSignal }): Promise<Network[]> };
  watchers: { get(channelId: string, watcherId: string, options: { signal: AbortSignal }): Promise<Watcher> };
};

const callsKind = like<LevelCalls>({
  networks: like<LevelCalls["networks"]>({ list: callable() }),
  watchers: like<LevelCalls["watchers"]>({ get: callable() }),
});

/** The levels of the networks and watchers that a channel's events come from. */
export function levelSource(calls: LevelCalls, channelId: string): LevelSource {
  const { networks, watchers } = callsKind(calls, "calls");
  text(channelId, "channelId");
  return {
    networks: (signal) => networks.list({ signal }),
    watcher: (watcherId, signal) => watchers.get(channelId, watcherId, { signal }),
  };
}

const sourceKind = like<LevelSource>({ networks: callable(), watcher: callable() });

/** What was answered, and when it was asked. `level` is undefined where the service does not say one. */
type Known = { level: string | undefined; at: number };

/** How many watchers are remembered: the ones that were asked last. */
const MAX_WATCHERS = 1_000;
/** An event is passed over only by an answer that is newer than this: the service may have been set up anew. */
const FRESH_MS = 60_000;
/** A refused key ends reading too, so nothing may be concluded from it. */
const TEMPORARY = new Set(["KEY_REFUSED", "ORGANIZATION_NOT_FOUND", "CLIENT_CLOSED", "ABORTED"]);

/**
 * Lets a contract event pass at the highest confidence that is reported for it: the level of its watcher, else that of
 * its network, as the service says it. Where the service says neither, events of every level pass: one that passes too
 * early can be recognized by its confidence, but one that waits for a level that never comes would be lost.
 * @example
 * const highest = new HighestConfidence(levelSource(client, channelId));
 * const isHighest = async (event: ChannelEvent, signal: AbortSignal) => {
 *   await highest.learn([event], signal);
 *   return highest.passes(event);
 * };
 */
export class HighestConfidence {
  readonly #source: LevelSource;
  readonly #now: () => number;
  readonly #watchers = new Map<string, Known>();
  #networks: { levels: ReadonlyMap<string, string>; at: number } | undefined;

  /** `now` is a steady clock, in milliseconds. */
  constructor(source: LevelSource, now: () => number = () => performance.now()) {
    this.#source = sourceKind(source, "source");
    this.#now = callable<typeof now>()(now, "now");
  }

  /**
   * Reads the levels that decide about these events. Until it resolves, `passes` may pass over too many of them.
   * @throws what reading the levels throws, if it may pass: try again. An answer such as "not found" or "forbidden"
   * counts as a level that is not known.
   */
  async learn(events: readonly EventEnvelope[], signal: AbortSignal): Promise<void> {
    signalKind(signal, "signal");
    aList()(events, "events");
    const lower = reading("events", () => events.filter((event) => belowHighest(event) !== undefined));
    const watchers = new Set(lower.map(watcherOf).filter(isUuid));
    await Promise.all([...watchers].map((id) => this.#learnWatcher(id, signal)));
    if (lower.some((event) => this.#watchers.get(watcherOf(event))?.level === undefined))
      await this.#learnNetworks(signal);
  }

  /** Whether no higher level is reported for this event, as far as `learn` has found out. Other events always pass. */
  passes(event: EventEnvelope): boolean {
    return reading("event", () => this.#passes(event));
  }

  #passes(event: EventEnvelope): boolean {
    const inside = belowHighest(event);
    if (inside === undefined) return true;
    const level =
      this.#watchers.get(watcherOf(event))?.level ??
      this.#networks?.levels.get(inside.chain ?? asText(event.payload.chain_selector));
    return level === undefined || rankOf(inside.confidence) >= rankOf(level);
  }

  async #learnWatcher(id: string, signal: AbortSignal): Promise<void> {
    if (this.#isFresh(this.#watchers.get(id))) return;
    const at = this.#now();
    const watcher = await ifAnswered(this.#source.watcher(id, signal), signal);
    this.#watchers.delete(id);
    this.#watchers.set(id, { level: levelOf(watcher?.confidence_level), at });
    for (const oldest of this.#watchers.keys()) {
      if (this.#watchers.size <= MAX_WATCHERS) break;
      this.#watchers.delete(oldest);
    }
  }

  async #learnNetworks(signal: AbortSignal): Promise<void> {
    if (this.#isFresh(this.#networks)) return;
    const at = this.#now();
    const networks = (await ifAnswered(this.#source.networks(signal), signal)) ?? [];
    const levels = new Map<string, string>();
    for (const { chain_selector, default_confidence_level } of networks) {
      const level = levelOf(default_confidence_level);
      if (level !== undefined) levels.set(String(chain_selector), level);
    }
    this.#networks = { levels, at };
  }

  #isFresh(known: { at: number } | undefined): boolean {
    return known !== undefined && this.#now() - known.at < FRESH_MS;
  }
}

/** A contract event than whose level there is a higher one. Undefined also for what cannot be read, which passes. */
function belowHighest(event: EventEnvelope): ContractEvent | undefined {
  const inside = eventTypeOf(event) === "watcher.event" ? readContractEvent(event) : undefined;
  return inside !== undefined && rankOf(inside.confidence) < CONFIDENCES.length - 1 ? inside : undefined;
}

function watcherOf({ payload }: EventEnvelope): string {
  return canonicalId(asText(payload.watcher_id));
}

/** Undefined for a level that this version does not know: whether it is reported is not known either. */
function levelOf(value: unknown): string | undefined {
  return CONFIDENCES.find((level) => level === value);
}

async function ifAnswered<T>(asked: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    const isAnswer = error instanceof CrecError && !error.retryable && !TEMPORARY.has(error.code);
    if (isAnswer && !signal.aborted) return undefined;
    throw error;
  }
}
