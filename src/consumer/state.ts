import type { CrecError } from "../errors.ts";
import type { Verification } from "../proofs/index.ts";
import type { ChannelEvent } from "../protocol/index.ts";

/** One event as it is delivered. */
export type Delivery = {
  event: ChannelEvent;
  offset: number;
  /**
   * It may have been delivered before: before a restart, or in an attempt that failed. It may come after events with a
   * higher offset.
   */
  redelivered: boolean;
  /** It is out of order: it became visible after an event with a higher offset had been delivered or skipped. */
  late: boolean;
  /**
   * The cursor was restored from elsewhere, such as a backup, and the event was in the channel by then: it may have
   * been delivered after the backup.
   */
  restored: boolean;
  /** 1, and more when it was not acknowledged in time, or refused. Starts at 1 after a restart. */
  attempt: number;
  /** Of the consumer's lease, if it has one with an epoch. */
  epoch?: number;
  /** Set when the consumer has `verify`. */
  verification?: Verification;
  /** Set when the event is rejected for it: how often the process crashed while it was handed over. */
  crashes?: number;
};

/** An event that was sent more than once. `reason`: of the last refusal, if it was refused. */
export type Repeating = { attempt: number; offset: number; reason?: string };

/** What a consumer is doing. `error.message` says what to do. */
export type ConsumerState =
  | { kind: "connecting" }
  | { kind: "waiting_for_channel" }
  | {
      kind: "connected";
      /** How far below the newest known offset the cursor is: about the number of events still to come. */
      behind: number | undefined;
      /** Events delivered since `start()`. */
      delivered: number;
      /** Events delivered and not acknowledged yet. */
      waitingForAcks: number;
      /** The event with the most attempts of those not acknowledged, once one was sent again. */
      repeating?: Repeating;
      /** Events delivered since `start()` out of order, because they became visible late. */
      late: number;
      /** Events skipped since `start()` because they were too old. */
      skipped: number;
      /** Events that were read since `start()` and dropped by `types` or `filter`. */
      filtered: number;
    }
  | { kind: "retrying"; inMs: number; error: CrecError }
  /** The channel ends below the cursor; it is checked again after `inMs`. */
  | { kind: "beyond_end"; inMs: number; error: CrecError }
  | { kind: "paused" }
  | { kind: "refused"; error: CrecError }
  | { kind: "stopped"; error?: CrecError };
