import { deferred } from "../../deferred.ts";
import {
  anyText,
  callable,
  clockKind,
  duration,
  optional,
  options,
  signal as signalKind,
  text,
} from "../../options/index.ts";
import { canonicalId, type EventType, type Open } from "../../protocol/index.ts";
import { type Clock, systemClock } from "../../timing/index.ts";
import { type EventCalls, type EventSource, eventCallsKind, eventSource } from "../source.ts";
import type { Pace } from "./pace.ts";
import { Singleflight } from "./singleflight.ts";

/** One of several readers of a channel, which share their requests. */
export type ChannelReader = {
  /** For `EventConsumer`: the source. Requests of several readers that are the same are made once. */
  source: EventSource;
  /** For `EventConsumer`: the pace. */
  pace: Pace;
  /**
   * Makes another call about the channel once for all readers that ask under the same key. Do not change the answer:
   * others have it, too. `maxAgeMs`: also an answer that another reader got no longer ago than this.
   */
  once<T>(
    key: string,
    ask: (signal: AbortSignal) => Promise<T>,
    options: { signal: AbortSignal; maxAgeMs: number },
  ): Promise<T>;
  /** How long the requests for events wait for their turn under the limit of requests now, in milliseconds. */
  readonly turnMs: number;
  /** The others do not wait for this reader any more. */
  leave(): void;
};

export type JoinOptions = {
  /** The only type of events that the reader wants, if any. */
  type?: Open<EventType> | undefined;
  /** For tests; that of the first reader counts. @default the machine's clock */
  clock?: Clock | undefined;
};

const onceOptions = options<{ signal: AbortSignal; maxAgeMs: number }>({
  signal: signalKind,
  maxAgeMs: duration,
});

const joinOptions = options<JoinOptions>({ type: optional(anyText()), clock: optional(clockKind) });

/** Readers that poll together may differ by this, in milliseconds: one hands over its events longer than another. */
const REUSE_MS = 500;
/** A page of events can be large. */
const MOST_PAGES = 4;
const MOST_LOOK_UPS = 200;

const channels = new WeakMap<EventCalls, Map<string, SharedChannel>>();

/**
 * Joins the readers of a channel that use the same client. Their polls take place at the same time, as often as the one
 * that polls most often asks for, so that most requests are the same and are made once. Each reader has its own cursor;
 * one that is behind makes requests of its own until it has caught up.
 * @example
 * const reader = joinChannel(client.events, channelId);
 * const consumer = new EventConsumer({
 *   source: reader.source,
 *   pace: reader.pace,
 *   store: new FileCursorStore({ path: "cursor.json" }),
 *   identity: { consumer: "alerts", channelId, service: baseUrl },
 *   start: "now",
 *   deliver: ({ event }) => handle(event),
 * });
 * consumer.start();
 * await consumer.stop();
 * reader.leave();
 */
export function joinChannel(events: EventCalls, channelId: string, options?: JoinOptions): ChannelReader {
  const { type, clock = systemClock } = joinOptions(options);
  eventCallsKind(events, "events");
  text(channelId, "channelId");
  const ofClient = channels.get(events) ?? new Map<string, SharedChannel>();
  channels.set(events, ofClient);
  const id = canonicalId(channelId);
  const channel = ofClient.get(id) ?? new SharedChannel(events, id, clock);
  ofClient.set(id, channel);
  return channel.join(type, () => ofClient.delete(id));
}

type Member = { type: Open<EventType> | undefined; allTypes: boolean; lastPage: number };

class SharedChannel {
  readonly #source: EventSource;
  readonly #begun: number;
  readonly #clock: Clock;
  readonly #pages: Singleflight;
  readonly #lookUps: Singleflight;
  readonly #wake: SharedPollTimer;
  readonly #members = new Set<Member>();
  /** How long the last request waited for its turn, and since when one waits. */
  #turnMs = 0;
  #waitingSince: number | undefined;

  constructor(events: EventCalls, channelId: string, clock: Clock) {
    this.#clock = clock;
    this.#begun = clock.elapsed();
    const now = () => clock.elapsed();
    this.#source = eventSource(events, channelId, (waitedMs) => {
      this.#turnMs = waitedMs;
    });
    this.#pages = new Singleflight(now, MOST_PAGES);
    this.#lookUps = new Singleflight(now, MOST_LOOK_UPS);
    this.#wake = new SharedPollTimer(clock, () => this.#pages.dropAnswers());
  }

  join(type: Open<EventType> | undefined, onEmpty: () => void): ChannelReader {
    const channel = this;
    const member: Member = { type, allTypes: false, lastPage: -1 };
    this.#members.add(member);
    return {
      source: {
        poll: async (params, signal) => {
          const { offset = "newest", limit, type: only = "" } = params;
          const asking = { by: member, signal, maxAgeMs: REUSE_MS, after: member.lastPage };
          const { answer, number } = await this.#pages.ask(`${offset} ${limit} ${only}`, {
            ...asking,
            ask: (ended) => {
              this.#waitingSince ??= this.#clock.elapsed();
              return this.#source.poll(params, ended).finally(() => {
                this.#waitingSince = undefined;
              });
            },
          });
          member.lastPage = Math.max(member.lastPage, number);
          return this.#own(answer);
        },
        get: async (eventId, signal) => {
          const asking = { by: member, signal, maxAgeMs: REUSE_MS };
          const ask = (ended: AbortSignal) => this.#source.get(eventId, ended);
          return this.#own((await this.#pages.ask(`event ${eventId}`, { ...asking, ask })).answer);
        },
      },
      pace: {
        sleep: (ms, signal) => {
          // The reader has caught up: what others request does for it, too.
          member.allTypes ||= [...this.#members].some((other) => other.type === undefined || other.allTypes);
          return this.#wake.sleep(ms, signal);
        },
        elapsed: () => this.#clock.elapsed() - this.#begun,
        get allTypes() {
          return member.allTypes;
        },
      },
      once: async (key, ask, given) => {
        const { signal, maxAgeMs } = onceOptions(given);
        const askOnce = callable<typeof ask>()(ask, "ask");
        const asked: typeof ask = async (ended) => askOnce(ended);
        const asking = { by: member, signal, maxAgeMs, ask: asked };
        return (await this.#lookUps.ask(text(key, "key"), asking)).answer;
      },
      get turnMs() {
        const now = channel.#clock.elapsed();
        return Math.max(channel.#turnMs, now - (channel.#waitingSince ?? now));
      },
      leave: () => {
        if (this.#members.delete(member) && this.#members.size === 0) onEmpty();
      },
    };
  }

  /** A reader's own copy where others may have the answer, too: a flow may change what it is sent. */
  #own<T>(answer: T): T {
    const isShared = this.#members.size > 1;
    this.#pages.dropGivenTo(this.#members);
    return isShared ? structuredClone(answer) : answer;
  }
}

type Sleeper = { until: number; wake: () => void };

/** Lets several sleep until the first of them has to wake: then all wake. */
class SharedPollTimer {
  readonly #clock: Clock;
  readonly #onWake: () => void;
  readonly #sleepers = new Set<Sleeper>();
  #alarm: { at: number; abort: AbortController } | undefined;

  /** `onWake` is called before they wake. */
  constructor(clock: Clock, onWake: () => void) {
    this.#clock = clock;
    this.#onWake = onWake;
  }

  /** Resolves after `ms` milliseconds at the latest, and as soon as the signal fires. Never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    const { promise, resolve } = deferred();
    const end = () => {
      signal.removeEventListener("abort", end);
      this.#sleepers.delete(sleeper);
      this.#setAlarm();
      resolve();
    };
    const sleeper: Sleeper = { until: this.#clock.elapsed() + ms, wake: end };
    signal.addEventListener("abort", end, { once: true });
    this.#sleepers.add(sleeper);
    this.#setAlarm();
    return promise;
  }

  /** For the first that has to wake; no timer is left when none sleeps. */
  #setAlarm(): void {
    const at = Math.min(...[...this.#sleepers].map(({ until }) => until));
    if (this.#alarm?.at === at) return;
    this.#alarm?.abort.abort();
    this.#alarm = undefined;
    if (this.#sleepers.size === 0) return;
    const abort = new AbortController();
    this.#alarm = { at, abort };
    void this.#clock.sleep(Math.max(0, at - this.#clock.elapsed()), abort.signal).then(() => {
      if (!abort.signal.aborted) this.#wakeAll();
    });
  }

  #wakeAll(): void {
    this.#alarm = undefined;
    this.#onWake();
    const woken = [...this.#sleepers];
    this.#sleepers.clear();
    for (const { wake } of woken) wake();
  }
}
