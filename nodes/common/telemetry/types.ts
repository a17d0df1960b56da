import type { CodedError } from "../shared/errors.ts";

/** The node that a report is about, as the editor knows it. */
export type Origin = {
  /** Of a node in a subflow: that in its template, which the editor can show. */
  node: string;
  /** The tab of the node; of a node in a subflow, that of the outermost instance. Empty for a config node. */
  flow: string;
  type: string;
  /** The name, else the type as in the palette, such as `events in`. */
  label: string;
};

export type Problem = Pick<CodedError, "code" | "message">;

/** Of a `crec-connection`, made when it is asked for. */
export type ConnectionReport = Origin & {
  baseUrl: string;
  /** `unused` before its first call. */
  state: "unused" | "ok" | "refused" | "unreachable" | "incomplete";
  /** When it came into this state. Unix milliseconds. */
  since: number;
  problem?: Problem;
  /** Attempts of calls in the last 60 seconds. */
  callsLastMinute: number;
  /** How many calls a minute its form allows; undefined for no limit. */
  budget: number | undefined;
  /** When its key ends, where the form says it. Unix milliseconds. */
  keyExpiresAt?: number;
};

/** Of an events in node, made when it is asked for. */
export type ReaderReport = Origin & {
  consumer: string;
  /** As the form names it: a name or an id. */
  channel: string;
  /** Undefined until it is looked up. */
  channelId: string | undefined;
  /**
   * `reading`: has all events; `behind`: events are still to come; `standby`: another copy or process reads;
   * `waiting`: for its channel, its watcher, its folder or a connection; `retrying`: after an error.
   */
  state: "reading" | "behind" | "standby" | "waiting" | "retrying" | "refused" | "paused" | "stopped";
  /** The offset up to which everything is settled. */
  position?: number;
  /** About the number of events still to come. */
  behind?: number;
  /** The age of the position where it is behind. Milliseconds. */
  behindMs?: number;
  /** Delivered and not completed. */
  inFlight: number;
  /** The counts are since the last deploy. */
  delivered: number;
  rejected: number;
  late: number;
  /** Of the lease, where several copies share the cursor. */
  epoch?: number;
  problem?: Problem;
  /** Since when it has the problem; 0 where it did not work before, since the last deploy. Unix milliseconds. */
  problemSince?: number;
};

/** Of a shared state that nodes of this process use; without `node` where the environment names it. */
export type SharedStateReport = Origin & {
  /** Why its last call failed. */
  problem?: Problem;
  /** Since when; 0 where no call has succeeded before. Unix milliseconds. */
  problemSince?: number;
};

/** An operation that a node of this process has sent or follows. */
export type OperationReport = Origin & {
  /** Of the operation in its channel. Nodes that follow the same operation share it. */
  key: string;
  channelId: string;
  operationId?: string;
  walletOperationId?: string;
  wallet?: string;
  chainSelector?: string;
  /** `signing` before it is sent, then as the service says. */
  status: string;
  /** Whether the status is proven; undefined where nothing is verified, and for a status that never carries a proof. */
  isProven?: boolean;
  /**
   * `waiting`: a node waits for it; `reached`: its wait is over; `draft`: a person has to finalize it; `failed`: it was
   * not executed, also where that is known only later, or not sent; `interrupted`: no node waits any longer, and it may
   * still be executed.
   */
  outcome: "waiting" | "reached" | "failed" | "interrupted" | "draft";
  /** Whether it was executed although the service had reported that it was not. */
  isExecutedAfterAll?: true;
  reason?: string;
  startedAt: number;
  changedAt: number;
};

/** A watcher or a wallet, as a node last saw it. */
export type ResourceReport = {
  id: string;
  name: string;
  status: string;
  reason?: string;
  /** Of a watcher. */
  channelId?: string;
  /** Of a wallet. */
  address?: string;
  chainSelector?: string;
  /** The base URL of the service. */
  service: string;
  /** When its status was seen. Unix milliseconds. */
  seenAt: number;
  /** When it had this status: the time of the answer, or of the event. Unix milliseconds. */
  statusAt?: number;
  /** The node that saw it; undefined for what a refresh has found. */
  origin?: Origin;
};

/** A delivered event, without its parameters: these may be about persons. */
export type EventReport = Omit<Origin, "type"> & {
  /**
   * Unique for each delivery, in the order in which they came. The report of a verify event node about an event that an
   * events in node has delivered unchecked has the number of that delivery, and replaces it.
   */
  number: number;
  seenAt: number;
  /** `created_at` of the event. Unix milliseconds. */
  createdAt?: number;
  /** Of events in; empty for an event that came to a verify event node in another way. */
  consumer: string;
  /** Empty where a verify event node does not know it. */
  channelId: string;
  /** Undefined where a rejected event has none. */
  offset?: number;
  /** Of the event, such as `watcher.event`. */
  type: string;
  /** Of a contract's event. */
  name?: string;
  chainSelector?: string;
  contract?: string;
  confidence?: string;
  proof: "verified" | "rejected" | "unsigned" | "unchecked";
  /**
   * Why it was not sent as an event, as a code: that of its proof where this is rejected; `given_up` after too many
   * attempts, `crashed` after too many crashes, or `too_deep`; or what a verify event node rejects it for.
   */
  reason?: string;
  /** How long the check of its proof took. Milliseconds. */
  proofMs?: number;
  /** Amounts in tokens, by parameter. */
  tokens?: Readonly<Record<string, string>>;
  isRedelivered: boolean;
  isLate: boolean;
};

/**
 * A node received a contract event whose signed parameters differ from those that it received for the same log before: two
 * watchers read the log with different ABIs.
 */
export type ContradictionReport = Origin & {
  /** Of the log: see `eventKeyOf`. */
  log: string;
  /** When it was seen last. Unix milliseconds. */
  seenAt: number;
};

/** What an alert node could not count or remember since it was deployed. */
export type KeyLimitReport = Origin & {
  /** The id of the node itself: a subflow has one for each of its uses. */
  instance: string;
  /** Events of new keys. */
  notCounted: number;
  /** Keys whose alerts may be repeated. */
  forgotten: number;
  /** Events whose alerts may be repeated. */
  forgottenEvents: number;
};

/** What makes the sum of an alert node wrong: amounts of unknown decimals, or of several contracts. */
export type AlertSumReport = Origin & {
  /** The id of the node itself: a subflow has one for each of its uses. */
  instance: string;
  problem: "no-decimals" | "contracts";
};

/** One attempt of a call to the service. */
export type CallReport = {
  /** Of the connection's node. */
  connection: string;
  method: string;
  /** The path with placeholders for ids, such as `/channels/{id}/events`; else `graphql` or `other`. */
  endpoint: string;
  /** Of the answer; undefined where there was none. */
  status: number | undefined;
  errorCode?: string;
  durationMs: number;
};

/** Something that has just happened, for listeners such as the metrics. */
export type ActivityEvent =
  /** `before`: the delivery that a verify event node has checked now. It was noted when it came. */
  | { kind: "event"; event: EventReport; before?: EventReport }
  | { kind: "call"; call: CallReport }
  | { kind: "operation"; operation: OperationReport; before: OperationReport | undefined }
  | { kind: "contradiction"; contradiction: ContradictionReport }
  | { kind: "keyLimit"; keyLimit: KeyLimitReport }
  | { kind: "alertSum"; alertSum: AlertSumReport }
  | { kind: "resource"; resource: "watcher" | "wallet"; report: ResourceReport };
