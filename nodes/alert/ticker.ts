import { AsyncLocalStorage } from "node:async_hooks";
import type { NodeAPI } from "node-red";
import { isRead, readUpToOf, readUpToOfAll } from "../lib/runtime/channel-readers.ts";
import { channelOf } from "../lib/runtime/config-nodes.ts";
import { override } from "../lib/runtime/details.ts";
import { eventIn } from "../lib/runtime/event-message.ts";
import type { CrecMessage } from "../lib/runtime/message.ts";

export type TickerOptions = {
  /** The id of the chosen channel node; empty for none. */
  channel: string;
  /** Where no channel is chosen, and no events in that it knows reads: whether the clock of this machine decides. */
  usesClock: boolean;
  /** An event may arrive so much later than its block. */
  slackMs: number;
  /** Called with whether the channel is not read up to about now. */
  onLag: (isBehind: boolean) => void;
  /** All inputs up to this event time were given. Resolves with the event time of the next check. Never rejects. */
  tick: (at: number) => Promise<number | undefined>;
  /** While it is not known up to when they were given, such as on a copy that does not read. Never rejects. */
  wait: () => Promise<void>;
};

const SHORTEST_MS = 250;
/** While the channel is behind what is due. */
const LAGGING_MS = 1_000;
const LONGEST_MS = 30_000;
/** Ids come from messages, so their number is limited. */
const MOST_CHANNELS = 20;
/** A channel that lags by more than this does not count as read up to now. */
const LAG_MS = 120_000;

/**
 * Tells a rule up to which time all events were received: the time up to which its channel was read, if one is chosen,
 * since an outage of the service is not an absence of events; else the present.
 */
export class Ticker {
  readonly #RED: NodeAPI;
  readonly #options: TickerOptions;
  #timer: NodeJS.Timeout | undefined;
  #dueAt: number | undefined;
  #isRunning = false;
  #channelId: string | undefined;
  readonly #seen = new Set<string>();
  readonly #stopping = new AbortController();
  /** What a tick leads to does not belong to the event that made it due. */
  readonly #outside = AsyncLocalStorage.snapshot();

  constructor(RED: NodeAPI, options: TickerOptions) {
    this.#RED = RED;
    this.#options = options;
  }

  /** Ticks at once: an absence is watched from then on. */
  start(): void {
    this.#isRunning = true;
    this.#schedule(0);
  }

  /** An input may have changed what is due next, in event time. */
  look(dueAt: number | undefined): void {
    if (!this.#isRunning || dueAt === undefined || dueAt >= (this.#dueAt ?? Number.POSITIVE_INFINITY)) return;
    this.#dueAt = dueAt;
    this.#schedule(this.#waitFor(dueAt));
  }

  /** If no channel is chosen, the channels of the received events count. */
  note(msg: CrecMessage): void {
    const channelId = override(msg, "channelId");
    if (this.#options.channel !== "" || channelId === undefined || !eventIn(msg)) return;
    if (this.#seen.size < MOST_CHANNELS) this.#seen.add(channelId);
  }

  stop(): void {
    this.#isRunning = false;
    this.#stopping.abort();
    clearTimeout(this.#timer);
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#outside(() => this.#look()), ms);
  }

  async #look(): Promise<void> {
    const at = await this.#readUpTo();
    if (!this.#isRunning) return;
    this.#options.onLag(at === undefined || Date.now() - at > LAG_MS);
    let known: number | undefined;
    if (at === undefined) await this.#options.wait();
    else known = await this.#options.tick(at - this.#options.slackMs);
    if (!this.#isRunning) return;
    this.#dueAt = known ?? (at === undefined ? this.#dueAt : undefined);
    this.#schedule(at === undefined ? LAGGING_MS : this.#waitFor(this.#dueAt));
  }

  #waitFor(dueAt: number | undefined): number {
    if (dueAt === undefined) return LONGEST_MS;
    const inMs = dueAt + this.#options.slackMs - Date.now();
    return Math.min(LONGEST_MS, Math.max(inMs, inMs < 0 ? LAGGING_MS : SHORTEST_MS));
  }

  async #readUpTo(): Promise<number | undefined> {
    const { channel } = this.#options;
    if (channel === "") return this.#readUpToOfSeen();
    this.#channelId ??= await this.#resolve();
    return readUpToOf({ channelNode: channel, channelId: this.#channelId });
  }

  /** The present if no events in node reads one of these channels. */
  #readUpToOfSeen(): number | undefined {
    const read = [...this.#seen].filter(isRead);
    if (read.length === 0 && !this.#options.usesClock) {
      // After a restart, what came meanwhile may wait in any of them.
      const at = readUpToOfAll();
      return at === undefined ? undefined : Math.min(Date.now(), at);
    }
    const times = read.map((channelId) => readUpToOf({ channelId }));
    if (times.some((time) => time === undefined)) return undefined;
    return Math.min(Date.now(), ...(times as number[]));
  }

  /** Only for events in with another config node of the same channel: those with this one are known without it. */
  async #resolve(): Promise<string | undefined> {
    try {
      return await channelOf(this.#RED, this.#options.channel).resolve(this.#stopping.signal);
    } catch {
      return undefined;
    }
  }
}
