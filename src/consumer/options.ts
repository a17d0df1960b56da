import { ArgumentError, type CrecError } from "../errors.ts";
import {
  anyText,
  callable,
  clockKind,
  duration,
  finite,
  flag,
  isText,
  type Kind,
  type Kinds,
  like,
  listOf,
  oneOf,
  optional,
  options,
  reading,
  shape,
  signal,
  someTime,
  text,
  whole,
  wrong,
} from "../options/index.ts";
import type { ConsumerLease } from "../ownership/lease.ts";
import type { Verification } from "../proofs/index.ts";
import { type ChannelEvent, PAGE_LIMITS } from "../protocol/index.ts";
import type { CursorIdentity } from "../storage/cursor/cursor-state.ts";
import type { CursorStore } from "../storage/cursor/store.ts";
import type { Clock, Random } from "../timing/index.ts";
import { requireKnownTypes, type TypeFilter } from "./filter.ts";
import type { LateWindow } from "./pages/reread-schedule.ts";
import type { Pace } from "./schedule/pace.ts";
import type { EventSource } from "./source.ts";
import type { ConsumerState, Delivery } from "./state.ts";

/** Where to start when nothing is stored: `time` in Unix seconds; `offset` is the first one delivered. */
export type StartPosition = "now" | "beginning" | { offset: number } | { time: number };

/** Where a consumer started, and why. */
export type ConsumerStart = {
  /** `stored`: at the stored cursor. `start`: nothing was stored. `seek`: at the position of `seek()`. */
  from: "stored" | "start" | "seek";
  /** The position in `start` or `seek()`. */
  position?: StartPosition;
  /** Events above this offset are delivered; -1 is before the first. */
  after: number;
};

export type EventConsumerOptions = {
  /** Reads the channel, as made by `eventSource`. */
  source: EventSource;
  /** Keeps the cursor. */
  store: CursorStore;
  /** Whose cursor it is. Only one consumer with this identity may run in a process. */
  identity: CursorIdentity;
  /**
   * The right to hand over events, of which another process may take over. While it is not certain that this process
   * has it, nothing is handed over. When it is over, the consumer is `stopped` with the error `CONSUMER_MOVED`: events
   * in flight are forgotten, and nothing is saved.
   * @default none is needed
   */
  lease?: ConsumerLease | undefined;
  /** Where to start when nothing is stored. */
  start: StartPosition;
  /** Only events of these types. @default all */
  types?: TypeFilter["types"];
  /** Allows `types` that this version does not list, such as those of a newer service. @default false */
  unlistedTypes?: boolean | undefined;
  /** Only events for which this returns true, as made by `eventFilter`. A throw counts as true. @default all */
  filter?: ((event: ChannelEvent) => boolean) | undefined;
  /**
   * Awaited before each poll of the channel, with no events, and before `filter` sees events, with these. While it
   * rejects, nothing is read or skipped; `onError` gets the error, and it is tried again.
   * @default none
   */
  prepare?: ((events: readonly ChannelEvent[], signal: AbortSignal) => Promise<void>) | undefined;
  /** Shortest wait between two polls, in milliseconds. @default 1_000 */
  pollMinMs?: number | undefined;
  /** Longest wait between two polls, in milliseconds. @default 15_000 */
  pollMaxMs?: number | undefined;
  /** When to poll, shared with other consumers on the channel, as made by `joinChannel`. @default its own */
  pace?: Pace | undefined;
  /** Events per page, 1 to 200. @default 200 */
  pageLimit?: number | undefined;
  /**
   * An event that becomes visible below others is found within a minute while these were first seen no longer ago
   * than `withinMs`, in milliseconds, or while it is among the newest `events`. Below that, the last hour is read again
   * every 1 to 60 minutes. At most 50,000 events are remembered for it.
   * @default { withinMs: 120_000, events: 200 }
   */
  late?: Partial<LateWindow> | undefined;
  /** How long to wait for the proof of an event, in milliseconds; 0 does not wait. @default 30_000 */
  proofWaitMs?: number | undefined;
  /** Verifies each event before it is delivered; the result is in `delivery.verification`. @default none */
  verify?: ((event: ChannelEvent) => Promise<Verification>) | undefined;
  /**
   * Awaited before an event is delivered, so that the receiver is not overloaded. The signal is aborted when the event
   * will not be delivered any more.
   * @default none
   */
  untilReady?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Receives an event. When it throws or rejects, the event is sent again. */
  deliver: (delivery: Delivery) => Promise<void> | void;
  /**
   * When an event counts as processed. `on-send`: when `deliver` has resolved; the next event waits for that. `on-ack`:
   * when it is acknowledged; `deliver` is not awaited.
   * @default "on-send"
   */
  commit?: "on-send" | "on-ack" | undefined;
  /** On ack: how many events may wait for their acknowledgement at the same time, up to 1,000. @default 1 */
  inFlight?: number | undefined;
  /**
   * On ack: how long to wait for an acknowledgement before an event is sent again, in milliseconds. With `Infinity` it is
   * sent again only when it is refused, and after a restart.
   * @default 60_000
   */
  ackTimeoutMs?: number | undefined;
  /** On ack: how often an event is sent before it is rejected. @default 5 */
  maxAttempts?: number | undefined;
  /**
   * How often the process may end without `stop()` while an event is handed over, before the event is rejected. To
   * find that event, all that may have caused it are handed over one at a time, whatever `inFlight` says. 0 rejects
   * none and hands over as usual: for work that takes several events together.
   * @default 5
   */
  maxCrashes?: number | undefined;
  /** Called once when the stored cursor was restored from elsewhere: events up to this offset may be sent again. */
  onRestored?: ((upTo: number) => void) | undefined;
  /** Called once after a crash, before the first event that may have caused it; all have offsets in this range. */
  onSuspects?: ((offsets: { from: number; to: number }) => void) | undefined;
  /**
   * Receives a rejected event: refused or sent too often, both on ack only, or one that ended the process too often. The
   * event is settled when this has resolved. One that ends the process here as well is skipped in the end.
   * @default rejected events are skipped
   */
  onRejected?: ((delivery: Delivery, why: string) => Promise<void> | void) | undefined;
  /**
   * On ack: a rejected event is settled only when it is acknowledged, too. Until then `onRejected` is called again after
   * each `ackTimeoutMs`.
   * @default false
   */
  ackRejected?: boolean | undefined;
  /**
   * Skips, and counts, events that are older than this, in milliseconds, by the machine's clock. An event with an
   * implausible time is delivered: more than ten minutes ahead of the clock, in milliseconds, or out of order with the
   * events beside it by more than that.
   * @default all are delivered
   */
  catchUp?: { skipOlderThanMs: number } | undefined;
  /** Called when the cursor is stored: after each `start()`, and after a `seek()`. */
  onStart?: ((start: ConsumerStart) => void) | undefined;
  /** Called at each change of state, and for counts at most ten times a second. */
  onState?: ((state: ConsumerState) => void) | undefined;
  /** Called with an error when its code differs from the one before. */
  onError?: ((error: CrecError) => void) | undefined;
  /** For tests. @default the machine's clock */
  clock?: Clock | undefined;
  /** For tests. @default Math.random */
  random?: Random | undefined;
};

const MAX_IN_FLIGHT = 1_000;
const MAX_LATE_EVENTS = 10_000;

const offset = whole(0);

/** What a start, or the position of a `seek`, must be. */
export const startKind: Kind<StartPosition> = (value, path) => {
  if (value === "now" || value === "beginning") return value;
  const given = reading(path, () => ({ ...(value as { offset?: unknown; time?: unknown }) }));
  if (isText(value) || (given.offset === undefined) === (given.time === undefined))
    throw wrong(path, '"now", "beginning", or an object with an offset or a time', value);
  if (given.time !== undefined) return { time: finite(given.time, `${path}.time`) };
  return { offset: offset(given.offset, `${path}.offset`) };
};

const identityKind = like<CursorIdentity>({ consumer: text, channelId: text, service: text });

const CONSUMER: Kinds<EventConsumerOptions> = {
  source: like<EventSource>({ poll: callable(), get: callable() }),
  store: like<CursorStore>({
    load: callable(),
    save: callable(),
    begin: optional(callable()),
    close: optional(callable()),
  }),
  identity: identityKind,
  lease: optional(
    like<ConsumerLease>({
      epoch: optional(whole(0)),
      over: signal,
      isSure: flag,
      remainingMs: callable(),
      confirm: callable(),
    }),
  ),
  start: startKind,
  types: optional(listOf(anyText())),
  unlistedTypes: optional(flag),
  filter: optional(callable()),
  prepare: optional(callable()),
  pollMinMs: optional(someTime),
  pollMaxMs: optional(someTime),
  pace: optional(like<Pace>({ sleep: callable(), elapsed: callable(), allTypes: flag })),
  pageLimit: optional(whole(1, PAGE_LIMITS.events.max)),
  late: optional(
    shape<Partial<LateWindow>>({
      withinMs: optional(duration),
      events: optional(whole(0, MAX_LATE_EVENTS)),
    }),
  ),
  proofWaitMs: optional(duration),
  verify: optional(callable()),
  untilReady: optional(callable()),
  deliver: callable(),
  commit: optional(oneOf("on-send", "on-ack")),
  inFlight: optional(whole(1, MAX_IN_FLIGHT)),
  ackTimeoutMs: optional(someTime),
  maxAttempts: optional(whole(1)),
  maxCrashes: optional(whole(0)),
  onRestored: optional(callable()),
  onSuspects: optional(callable()),
  onRejected: optional(callable()),
  ackRejected: optional(flag),
  catchUp: optional(shape<{ skipOlderThanMs: number }>({ skipOlderThanMs: someTime })),
  onStart: optional(callable()),
  onState: optional(callable()),
  onError: optional(callable()),
  clock: optional(clockKind),
  random: optional(callable()),
};

/** @throws {ArgumentError} naming the option. */
export const consumerOptions = options<EventConsumerOptions>(CONSUMER);

export type Limits = {
  pageLimit: number;
  late: LateWindow;
  pollMinMs: number;
  pollMaxMs: number;
  proofWaitMs: number;
  inFlight: number;
  ackTimeoutMs: number;
  maxAttempts: number;
  maxCrashes: number;
};

/** The limits with their defaults. Throws `ArgumentError` for those that cannot work together. */
export function limitsOf(options: EventConsumerOptions): Limits {
  requireKnownTypes(options);
  const { pageLimit = PAGE_LIMITS.events.default, proofWaitMs = 30_000 } = options;
  const { pollMinMs = 1_000, pollMaxMs = 15_000 } = options;
  const { inFlight = 1, ackTimeoutMs = 60_000, maxAttempts = 5, maxCrashes = 5 } = options;
  if (pollMinMs > pollMaxMs)
    throw new ArgumentError("pollMinMs", "pollMinMs must not be above pollMaxMs, the longest poll interval.");
  const late = { withinMs: 120_000, events: 200, ...options.late };
  return {
    pageLimit,
    late,
    pollMinMs,
    pollMaxMs,
    proofWaitMs,
    inFlight,
    ackTimeoutMs,
    maxAttempts,
    maxCrashes,
  };
}
