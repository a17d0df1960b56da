import { CrecError } from "../errors.ts";

/** The right of a consumer to hand over events, which it may lose to another process at any time. */
export type ConsumerLease = {
  /** Goes into each delivery. Higher for each holder than for all before. */
  readonly epoch?: number;
  /** Aborted when the right is lost or given back. A `CrecError` as the reason becomes that of the consumer. */
  readonly over: AbortSignal;
  /** Whether no other process can have it now. It is read before each event. */
  readonly isSure: boolean;
  /** For how long that is so without a renewal, in milliseconds. */
  remainingMs(): number;
  /** Resolves when no other process can have it now; rejects once it is over. */
  confirm(): Promise<void>;
};

/** Why a lease is over. */
export function endOf({ over }: ConsumerLease): CrecError {
  return over.reason instanceof CrecError ? over.reason : takenOver();
}

/** The reason when another copy has the lease by now. */
export function takenOver(): CrecError {
  return new CrecError(
    "CONSUMER_MOVED",
    "Another copy reads this channel now, and continues at the cursor that was saved last. This copy waits until the channel is free again; you do not have to do anything.",
  );
}
