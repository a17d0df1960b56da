/** The statuses of a channel. */
export const CHANNEL_STATUSES = ["active", "archived"] as const;
/** The statuses of a watcher. */
export const WATCHER_STATUSES = [
  "pending",
  "active",
  "failed",
  "archiving",
  "archived",
  "archive_failed",
] as const;
/** The statuses of a wallet. */
export const WALLET_STATUSES = ["pending", "deploying", "deployed", "failed", "archived"] as const;
/**
 * The statuses through which a signed operation passes, in their order. The confirmation levels are `confirmed_latest`,
 * `confirmed_safe` and `confirmed`.
 */
export const OPERATION_PROGRESS = [
  "accepted",
  "sending",
  "sent",
  "broadcasting",
  "confirmed_latest",
  "confirmed_safe",
  "confirmed",
] as const;
/** The statuses of an operation. */
export const OPERATION_STATUSES = [
  "pending_signature",
  ...OPERATION_PROGRESS,
  "failed",
  "cancelled",
  "expired",
] as const;
/** The statuses of a query. */
export const QUERY_STATUSES = ["accepted", "sending", "sent", "completed", "failed", "expired"] as const;

export type ChannelStatus = (typeof CHANNEL_STATUSES)[number];
export type WatcherStatus = (typeof WATCHER_STATUSES)[number];
export type WalletStatus = (typeof WALLET_STATUSES)[number];
export type OperationStatus = (typeof OPERATION_STATUSES)[number];
export type QueryStatus = (typeof QUERY_STATUSES)[number];

/** One way a status changes. */
export type Transition<S extends string> = {
  /** The statuses before; empty for the first status. */
  readonly from: readonly S[];
  /** The status after. */
  readonly to: S;
  /** Whether a request changes it, or the service by itself. */
  readonly by: "request" | "service";
  /** When it changes, in a sentence for people. */
  readonly when: string;
};

/** For each status, the statuses that can follow it. An empty list means that it is terminal. */
export type Lifecycle<S extends string> = Readonly<Record<S, readonly S[]>>;

const RELAY_STATUSES = ["accepted", "sending", "sent", "broadcasting"] as const;

/** Every change of a watcher's status. The local service makes no other, and no wait expects another. */
export const WATCHER_TRANSITIONS: readonly Transition<WatcherStatus>[] = [
  { from: [], to: "pending", by: "request", when: "it is created" },
  {
    from: ["pending"],
    to: "active",
    by: "service",
    when: "it is provisioned; the logs of all later blocks are reported",
  },
  {
    from: ["pending"],
    to: "failed",
    by: "service",
    when: "it cannot be provisioned: its watcher service is unknown, or refuses its events, settings or contract",
  },
  {
    from: ["active"],
    to: "failed",
    by: "service",
    when: "it cannot continue. The local service skips a log that does not match the watcher's ABI, and the watcher stays `active`",
  },
  {
    from: ["active", "failed", "archive_failed"],
    to: "archiving",
    by: "request",
    when: "it is archived; answered with 202",
  },
  { from: ["archiving"], to: "archived", by: "service", when: "it is removed" },
  { from: ["archiving"], to: "archive_failed", by: "service", when: "it cannot be removed; try again" },
];

/** Every change of a wallet's status. */
export const WALLET_TRANSITIONS: readonly Transition<WalletStatus>[] = [
  { from: [], to: "pending", by: "request", when: "it is created" },
  { from: ["pending"], to: "deploying", by: "service", when: "its deployment is sent to the chain" },
  {
    from: ["pending"],
    to: "failed",
    by: "service",
    when: "the chain refuses the deployment",
  },
  { from: ["deploying"], to: "deployed", by: "service", when: "its contract is on the chain" },
  { from: ["deploying"], to: "failed", by: "service", when: "the deployment reverted" },
  {
    from: ["pending", "deploying", "deployed", "failed"],
    to: "archived",
    by: "request",
    when: "it is archived; takes effect immediately",
  },
];

/** Every change of an operation's status. Confirmation levels only increase, and may be skipped. */
export const OPERATION_TRANSITIONS: readonly Transition<OperationStatus>[] = [
  { from: [], to: "pending_signature", by: "request", when: "it is created without a signature: a draft" },
  { from: [], to: "accepted", by: "request", when: "it is created with a signature" },
  { from: ["pending_signature"], to: "accepted", by: "request", when: "the draft is finalized" },
  { from: ["pending_signature"], to: "cancelled", by: "request", when: "the draft is cancelled" },
  {
    from: ["pending_signature"],
    to: "expired",
    by: "service",
    when: "its deadline passes; noticed by a scanner, or when it is finalized",
  },
  { from: ["accepted"], to: "sending", by: "service", when: "the relay starts to process it" },
  { from: ["sending"], to: "sent", by: "service", when: "its transaction is sent to the chain" },
  { from: ["sent"], to: "broadcasting", by: "service", when: "its transaction waits for a block" },
  {
    from: ["broadcasting"],
    to: "confirmed_latest",
    by: "service",
    when: "its transaction is in a block, which may still be replaced",
  },
  {
    from: ["broadcasting", "confirmed_latest"],
    to: "confirmed_safe",
    by: "service",
    when: "that block is `safe`",
  },
  {
    from: ["broadcasting", "confirmed_latest", "confirmed_safe"],
    to: "confirmed",
    by: "service",
    when: "that block is `finalized`",
  },
  {
    from: [...RELAY_STATUSES],
    to: "expired",
    by: "service",
    when: "its deadline passes before it is in a block",
  },
  {
    from: [...RELAY_STATUSES],
    to: "failed",
    by: "service",
    when: "the chain refuses its transaction, or the wallet reverts it",
  },
  {
    from: ["confirmed_latest", "confirmed_safe"],
    to: "failed",
    by: "service",
    when: "its block is replaced, and on the new one it is refused, reverted or too late",
  },
];

/** Every change of a query's status. */
export const QUERY_TRANSITIONS: readonly Transition<QueryStatus>[] = [
  { from: [], to: "accepted", by: "request", when: "it is created" },
  { from: ["accepted"], to: "sending", by: "service", when: "the service starts to process it" },
  { from: ["sending"], to: "sent", by: "service", when: "it is dispatched" },
  { from: ["sent"], to: "completed", by: "service", when: "the call returned; the answer has a proof" },
  {
    from: ["accepted", "sending", "sent"],
    to: "failed",
    by: "service",
    when: "the call reverted, or cannot be made; the error has a proof",
  },
  {
    from: ["accepted", "sending", "sent"],
    to: "expired",
    by: "service",
    when: "its time to live ends",
  },
];

/** The lifecycle of a watcher. */
export const WATCHER_LIFECYCLE: Lifecycle<WatcherStatus> = /* @__PURE__ */ lifecycleOf(
  WATCHER_STATUSES,
  WATCHER_TRANSITIONS,
);
/** The lifecycle of a wallet. */
export const WALLET_LIFECYCLE: Lifecycle<WalletStatus> = /* @__PURE__ */ lifecycleOf(
  WALLET_STATUSES,
  WALLET_TRANSITIONS,
);
/** The lifecycle of an operation. */
export const OPERATION_LIFECYCLE: Lifecycle<OperationStatus> = /* @__PURE__ */ lifecycleOf(
  OPERATION_STATUSES,
  OPERATION_TRANSITIONS,
);
/** The lifecycle of a query. */
export const QUERY_LIFECYCLE: Lifecycle<QueryStatus> = /* @__PURE__ */ lifecycleOf(
  QUERY_STATUSES,
  QUERY_TRANSITIONS,
);

function lifecycleOf<S extends string>(
  statuses: readonly S[],
  transitions: readonly Transition<S>[],
): Lifecycle<S> {
  const following = (status: S) =>
    statuses.filter((next) => transitions.some(({ from, to }) => to === next && from.includes(status)));
  return Object.fromEntries(statuses.map((status) => [status, following(status)])) as Record<S, S[]>;
}

/**
 * Whether a status ends the lifecycle. A status this version does not know never does.
 * @example
 * isTerminal(OPERATION_LIFECYCLE, "confirmed"); // → true
 */
export function isTerminal<S extends string>(lifecycle: Lifecycle<S>, status: string): boolean {
  return isStatusOf(lifecycle, status) && lifecycle[status].length === 0;
}

/**
 * Whether `to` can follow `from`, in one step or several.
 * @example
 * canReach(OPERATION_LIFECYCLE, "sent", "confirmed"); // → true
 */
export function canReach<S extends string>(lifecycle: Lifecycle<S>, from: S, to: S): boolean {
  if (!isStatusOf(lifecycle, from)) return false;
  const seen = new Set<S>();
  const queue: S[] = [from];
  for (let state = queue.pop(); state !== undefined; state = queue.pop()) {
    for (const next of lifecycle[state] ?? []) {
      if (next === to) return true;
      if (!seen.has(next)) {
        seen.add(next);
        queue.push(next);
      }
    }
  }
  return false;
}

/** Where a resource stands with respect to the status that is waited for. */
export type Progress = "waiting" | "reached" | "unreachable";

/** Statuses that can follow others but are no progress: none of them counts as a stronger one. */
const SETBACKS: readonly string[] = [
  "failed",
  "cancelled",
  "expired",
  "archiving",
  "archived",
  "archive_failed",
];
/** A resource leaves these only by a new request. */
const HALTS: readonly string[] = ["failed", "archive_failed"];

/**
 * Whether a status is the target or a stronger one, or whether the target can no longer be reached. A status that this
 * version does not know is never the end of a wait.
 * @example
 * progressTo(OPERATION_LIFECYCLE, "confirmed_latest", "confirmed"); // → "reached"
 * progressTo(OPERATION_LIFECYCLE, "confirmed_latest", "failed"); // → "unreachable"
 */
export function progressTo<S extends string>(lifecycle: Lifecycle<S>, target: S, status: string): Progress {
  if (status === target) return "reached";
  if (!isStatusOf(lifecycle, status)) return "waiting";
  if (!SETBACKS.includes(status) && canReach(lifecycle, target, status)) return "reached";
  return HALTS.includes(status) || !canReach(lifecycle, status, target) ? "unreachable" : "waiting";
}

/** Whether a text is a status of this lifecycle. */
export function isStatusOf<S extends string>(lifecycle: Lifecycle<S>, status: unknown): status is S {
  try {
    return typeof status === "string" && Object.hasOwn(lifecycle, status);
  } catch {
    // No lifecycle of this library.
    return false;
  }
}
