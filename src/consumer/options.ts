import { ArgumentError, type CrecError } from "../errors.ts";
import type { VerifyResult } from "../proofs/index.ts";
import { type ChannelEvent, PAGE_LIMITS } from "../protocol/index.ts";
import type { Clock } from "./clock.ts";
import type { CursorIdentity } from "./cursor-state.ts";
import type { Random } from "./intervals.ts";
import type { LateWindow } from "./late-looks.ts";
import { requireListed, type WantedTypes } from "./listed-types.ts";
import type { EventSource } from "./source.ts";
import type { CursorStore } from "./store.ts";

/** Where to begin when nothing is stored: `time` in Unix seconds, `offset` is the first one delivered. */
export type StartPosition = "now" | "beginning" | { offset: number } | { time: number };

/** Where a consumer started, and why there. */
export type ConsumerStart = {
  /** `stored`: where it was before. `start`: nothing was stored. `seek`: somebody chose another place. */
  from: "stored" | "start" | "seek";
  /** What `start` or `seek` said. */
  position?: StartPosition;
  /** Events above this offset are delivered; -1 is before the first. */
  after: number;
};

/** One event as it is handed over. */
export type Delivery = {
  event: ChannelEvent;
  offset: number;
  /** Possibly delivered before: before a restart, or in an attempt that failed. */
  redelivered: boolean;
  /** It became visible after an event of a higher offset had been handed over, or passed over: it is out of order. */
  late: boolean;
  /**
   * The place was put there from elsewhere, such as a backup, and the event was in the channel by then: it may have
   * been delivered since the backup was made.
   */
  restored: boolean;
  /** 1, and more when it was not acknowledged in time, or refused. Counted anew after a restart. */
  attempt: number;
  /** There when the consumer was given `verify`. */
  verification?: VerifyResult;
  /** There where an event is given up for it: how often the process ended while it was handed over. */
  crashes?: number;
};

/** What a consumer is doing, for people to see. `error.message` says what to do. */
export type ConsumerState =
  | { kind: "connecting" }
  | { kind: "waiting_for_channel" }
  | {
      kind: "connected";
      /** How far below the newest known offset the cursor is; about as many events are still to come. */
      behind: number | undefined;
      /** Events delivered since `start()`. */
      delivered: number;
      /** Events handed over and not acknowledged yet. */
      waitingForAcks: number;
      /** The event that was sent most often of those not acknowledged, once one was sent again. */
      repeating?: { attempt: number; offset: number };
      /** Events handed over since `start()` out of order, since they became visible late. */
      late: number;
      /** Events passed over since `start()` because they were too old. */
      skipped: number;
      /** Events passed over since `start()` because `types` or `filter` did not want them; of those that were read. */
      filtered: number;
    }
  | { kind: "retrying"; inMs: number; error: CrecError }
  /** The channel ends below the cursor; it is looked at again `inMs` from then. */
  | { kind: "beyond_end"; inMs: number; error: CrecError }
  | { kind: "paused" }
  | { kind: "refused"; error: CrecError }
  | { kind: "stopped"; error?: CrecError };

export type EventConsumerOptions = {
  source: EventSource;
  store: CursorStore;
  identity: CursorIdentity;
  /** Counts only when nothing is stored. */
  start: StartPosition;
  /** Only events of these types; all when left out or empty. */
  types?: WantedTypes["types"];
  /** Takes `types` that this version does not list, such as those of a newer service. False: they are refused. */
  unlistedTypes?: boolean | undefined;
  /** Only events for which this says yes, as made by `eventFilter`. One that throws says yes. */
  filter?: ((event: ChannelEvent) => boolean) | undefined;
  /**
   * Waited for before each look at the channel, with no events, and before `filter` judges some, with these. While
   * it rejects, nothing is read or passed over; it is told by `onError` and tried again.
   */
  prepare?: ((events: readonly ChannelEvent[], signal: AbortSignal) => Promise<void>) | undefined;
  /** Shortest and longest wait between two looks, in milliseconds. 1,000 and 15,000. */
  pollMinMs?: number | undefined;
  pollMaxMs?: number | undefined;
  /** Events a page, up to 200. */
  pageLimit?: number | undefined;
  /**
   * An event that becomes visible below others is found within a minute while these were first seen no longer ago
   * than `withinMs`, or while it is among the newest `events`. 120,000 and 200. Below that, the last hour is looked
   * through every 1 to 60 minutes. At most 50,000 events are remembered for it.
   */
  late?: Partial<LateWindow> | undefined;
  /** How long an event that lacks its proof is held, in milliseconds. 30,000; 0 does not hold. */
  proofWaitMs?: number | undefined;
  verify?: ((event: ChannelEvent) => Promise<VerifyResult>) | undefined;
  /**
   * Waited for before an event is handed over, so that whatever takes it is not given more than it can hold. The
   * signal is aborted when the event is not to be handed over any more.
   */
  untilReady?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Takes an event. When it throws or rejects, the event comes again. */
  deliver: (delivery: Delivery) => Promise<void> | void;
  /**
   * When an event counts as done. `on-send`, the default: when `deliver` has resolved, and only then comes the
   * next. `on-ack`: when it is acknowledged; `deliver` is not waited for.
   */
  commit?: "on-send" | "on-ack" | undefined;
  /** On ack: how many events may wait for their acknowledgement at once, up to 1,000. 1. */
  inFlight?: number | undefined;
  /** On ack: after this long without an acknowledgement an event is sent again, in milliseconds. 60,000. */
  ackTimeoutMs?: number | undefined;
  /** On ack: how often an event is sent before it is rejected. 5. */
  maxAttempts?: number | undefined;
  /**
   * How often the process may end other than by `stop()` while an event is handed over, before that is given up: 5. To
   * tell which event it is, those that may be are then handed over one at a time, whatever `inFlight` says. With 0
   * none is given up, and all come as usual: for work that takes several events together.
   */
  maxCrashes?: number | undefined;
  /** Called once where the stored place was put there from elsewhere: events up to this offset may come again. */
  onRestored?: ((upTo: number) => void) | undefined;
  /** Called once after such an end, before the first of these events comes; they have at most these offsets. */
  onSuspects?: ((offsets: { from: number; to: number }) => void) | undefined;
  /**
   * Takes an event that is given up: refused, or sent too often, both on ack only, or one that ended the process too
   * often. It is done with when this has resolved. One that ends the process here, too, is passed over in the end.
   */
  onRejected?: ((delivery: Delivery, why: string) => Promise<void> | void) | undefined;
  /**
   * On ack: a rejected event is done with when it is acknowledged, too. Until then `onRejected` is given it again,
   * each time after `ackTimeoutMs`. False.
   */
  ackRejected?: boolean | undefined;
  /**
   * Passes over, and counts, what is older than this, in milliseconds, by the machine's clock; delivers all when
   * left out. An event is delivered where its time cannot be believed: ahead of the clock by more than ten minutes,
   * in milliseconds, or out of order with the events beside it by more than that.
   */
  catchUp?: { skipOlderThanMs: number } | undefined;
  /** Called once the place is settled and stored: after each `start()`, and after a `seek()`. */
  onStart?: ((start: ConsumerStart) => void) | undefined;
  onState?: ((state: ConsumerState) => void) | undefined;
  /** Once per change of `error.code`; `undefined` is never passed. */
  onError?: ((error: CrecError) => void) | undefined;
  clock?: Clock | undefined;
  random?: Random | undefined;
};

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

const MAX_IN_FLIGHT = 1_000;
const MAX_LATE_EVENTS = 10_000;

/** The limits with their defaults. Throws `ArgumentError` for those that cannot work. */
export function limitsOf(options: EventConsumerOptions): Limits {
  requireListed(options);
  const { pageLimit = PAGE_LIMITS.events.default, proofWaitMs = 30_000 } = options;
  const { pollMinMs = 1_000, pollMaxMs = 15_000, catchUp } = options;
  const { inFlight = 1, ackTimeoutMs = 60_000, maxAttempts = 5, maxCrashes = 5 } = options;
  const { max } = PAGE_LIMITS.events;
  requireWhole("pageLimit", "page limit", pageLimit, [1, max]);
  if (!(pollMinMs > 0 && pollMinMs <= pollMaxMs))
    throw new ArgumentError(
      "pollMinMs",
      "The shortest poll interval must be above 0 and not above the longest.",
    );
  const late = { withinMs: 120_000, events: 200, ...options.late };
  if (!(late.withinMs >= 0)) throw new ArgumentError("late.withinMs", "The time must be 0 or more.");
  requireWhole("late.events", "number of events", late.events, [0, MAX_LATE_EVENTS]);
  requireWhole("inFlight", "in-flight limit", inFlight, [1, MAX_IN_FLIGHT]);
  requireWhole("maxAttempts", "number of attempts", maxAttempts, [1, Number.MAX_SAFE_INTEGER]);
  requireWhole("maxCrashes", "number of crashes", maxCrashes, [0, Number.MAX_SAFE_INTEGER]);
  if (!(ackTimeoutMs > 0))
    throw new ArgumentError("ackTimeoutMs", "The time to acknowledge an event must be above 0.");
  if (catchUp !== undefined && !(catchUp.skipOlderThanMs > 0))
    throw new ArgumentError("catchUp.skipOlderThanMs", "The age of events to pass over must be above 0.");
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

function requireWhole(path: string, name: string, value: number, [least, most]: [number, number]): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  const upTo = most === Number.MAX_SAFE_INTEGER ? ` of ${least} or more` : ` from ${least} to ${most}`;
  throw new ArgumentError(path, `The ${name} must be a whole number${upTo}.`);
}
