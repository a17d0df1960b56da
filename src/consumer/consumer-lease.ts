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
