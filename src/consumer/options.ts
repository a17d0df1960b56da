import { ArgumentError, type CrecError } from "../errors.ts";
import type { VerifyResult } from "../proofs/verify.ts";
import { type ChannelEvent, PAGE_LIMITS } from "../protocol/index.ts";
import type { Clock } from "./clock.ts";
import type { CursorIdentity } from "./cursor.ts";
import type { Random } from "./intervals.ts";
import type { EventSource } from "./source.ts";
import type { CursorStore } from "./store.ts";

/** Where to begin when nothing is stored: `time` in Unix seconds, `offset` is the first one delivered. */
export type StartPosition = "now" | "beginning" | { offset: number } | { time: number };

/** One event as it is handed over. */
export type Delivery = {
  event: ChannelEvent;
  offset: number;
  /** Possibly delivered before: before a restart, or in an attempt that failed. */
  redelivered: boolean;
  /** There when the consumer was given `verify`. */
  verification?: VerifyResult;
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
    }
  | { kind: "retrying"; inMs: number; error: CrecError }
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
  types?: readonly string[];
  /** Only events for which this says yes, as made by `eventFilter`. One that throws says yes. */
  filter?: (event: ChannelEvent) => boolean;
  /** Shortest and longest wait between two looks, in milliseconds. 1,000 and 15,000. */
  pollMinMs?: number;
  pollMaxMs?: number;
  /** Events a page, up to 200. */
  pageLimit?: number;
  /** How many offsets below the newest an event may turn up late; less than a page. 50. */
  window?: number;
  /** How long an event that lacks its proof is held, in milliseconds. 30,000; 0 does not hold. */
  proofWaitMs?: number;
  verify?: (event: ChannelEvent) => Promise<VerifyResult>;
  /** The event counts as delivered when this has resolved; when it rejects, the event comes again. */
  deliver: (delivery: Delivery) => Promise<void> | void;
  onState?: (state: ConsumerState) => void;
  /** Once per change of `error.code`; `undefined` is never passed. */
  onError?: (error: CrecError) => void;
  clock?: Clock;
  random?: Random;
};

/** The limits with their defaults. Throws `ArgumentError` for those that cannot work. */
export function limitsOf(options: EventConsumerOptions): {
  pageLimit: number;
  window: number;
  pollMinMs: number;
  pollMaxMs: number;
  proofWaitMs: number;
} {
  const { pageLimit = PAGE_LIMITS.events.default, window = 50, proofWaitMs = 30_000 } = options;
  const { pollMinMs = 1_000, pollMaxMs = 15_000 } = options;
  const { max } = PAGE_LIMITS.events;
  if (!Number.isInteger(pageLimit) || pageLimit < 1 || pageLimit > max)
    throw new ArgumentError("pageLimit", `The page limit must be a whole number from 1 to ${max}.`);
  if (!Number.isInteger(window) || window < 0 || window > pageLimit - 2)
    throw new ArgumentError(
      "window",
      `The window must be a whole number from 0 to ${pageLimit - 2}, less than a page.`,
    );
  if (!(pollMinMs > 0 && pollMinMs <= pollMaxMs))
    throw new ArgumentError(
      "pollMinMs",
      "The shortest poll interval must be above 0 and not above the longest.",
    );
  return { pageLimit, window, pollMinMs, pollMaxMs, proofWaitMs };
}
