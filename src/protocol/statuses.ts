/** A status of today's list, or any text a newer service may send: unknown statuses pass through. */
export type Open<T extends string> = T | (string & {});

export const CHANNEL_STATUSES = ["active", "archived"] as const;
export const WATCHER_STATUSES = [
  "pending",
  "active",
  "failed",
  "archiving",
  "archived",
  "archive_failed",
] as const;
export const WALLET_STATUSES = ["pending", "deploying", "deployed", "failed", "archived"] as const;
export const OPERATION_STATUSES = [
  "pending_signature",
  "accepted",
  "sending",
  "sent",
  "broadcasting",
  "confirmed_latest",
  "confirmed_safe",
  "confirmed",
  "failed",
  "cancelled",
  "expired",
] as const;
export const QUERY_STATUSES = ["accepted", "sending", "sent", "completed", "failed", "expired"] as const;

export type ChannelStatus = (typeof CHANNEL_STATUSES)[number];
export type WatcherStatus = (typeof WATCHER_STATUSES)[number];
export type WalletStatus = (typeof WALLET_STATUSES)[number];
export type OperationStatus = (typeof OPERATION_STATUSES)[number];
export type QueryStatus = (typeof QUERY_STATUSES)[number];

/** For each state, the states that may follow it. An empty list means terminal. */
export type Lifecycle<S extends string> = Readonly<Record<S, readonly S[]>>;

export const WATCHER_LIFECYCLE: Lifecycle<WatcherStatus> = {
  pending: ["active", "failed"],
  active: ["failed", "archiving"],
  failed: ["archiving"],
  archiving: ["archived", "archive_failed"],
  archive_failed: ["archiving"],
  archived: [],
};

export const WALLET_LIFECYCLE: Lifecycle<WalletStatus> = {
  pending: ["deploying", "failed", "archived"],
  deploying: ["deployed", "failed", "archived"],
  deployed: ["archived"],
  failed: ["archived"],
  archived: [],
};

/** The confirmation ladder moves forward only, and may skip a rung. */
export const OPERATION_LIFECYCLE: Lifecycle<OperationStatus> = {
  pending_signature: ["accepted", "cancelled", "expired"],
  accepted: ["sending", "failed", "expired"],
  sending: ["sent", "failed", "expired"],
  sent: ["broadcasting", "failed", "expired"],
  broadcasting: ["confirmed_latest", "confirmed_safe", "confirmed", "failed", "expired"],
  confirmed_latest: ["confirmed_safe", "confirmed", "failed"],
  confirmed_safe: ["confirmed", "failed"],
  confirmed: [],
  failed: [],
  cancelled: [],
  expired: [],
};

export const QUERY_LIFECYCLE: Lifecycle<QueryStatus> = {
  accepted: ["sending", "failed", "expired"],
  sending: ["sent", "failed", "expired"],
  sent: ["completed", "failed", "expired"],
  completed: [],
  failed: [],
  expired: [],
};

/**
 * Whether a status ends the lifecycle. A status this version does not know never does.
 * @example
 * isTerminal(OPERATION_LIFECYCLE, "confirmed"); // → true
 */
export function isTerminal<S extends string>(lifecycle: Lifecycle<S>, status: string): boolean {
  return Object.hasOwn(lifecycle, status) && lifecycle[status as S].length === 0;
}

/**
 * Whether `to` can follow `from`, in one step or several: "a stronger rung counts as reached".
 * @example
 * canReach(OPERATION_LIFECYCLE, "sent", "confirmed"); // → true
 */
export function canReach<S extends string>(lifecycle: Lifecycle<S>, from: S, to: S): boolean {
  const seen = new Set<S>();
  const queue: S[] = [from];
  for (let state = queue.pop(); state !== undefined; state = queue.pop()) {
    for (const next of lifecycle[state]) {
      if (next === to) return true;
      if (!seen.has(next)) {
        seen.add(next);
        queue.push(next);
      }
    }
  }
  return false;
}
