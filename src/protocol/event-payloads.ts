import type { Open, OperationStatus, QueryStatus, WalletStatus, WatcherStatus } from "./statuses.ts";

/** The payload of a `watcher.event`. */
export type WatcherEventPayload = {
  /** The watcher that reported it. */
  watcher_id: string;
  /** The network of the contract. */
  chain_selector: string;
  /** keccak256 of `verifiable_event`. */
  event_hash: string;
  /** The signed text: base64 of a `VerifiableEvent` as JSON. */
  verifiable_event: string;
  /** Unix seconds. */
  timestamp: number;
};

/** The payload of an `operation.status`. */
export type OperationStatusPayload = {
  /** The new status. */
  status: Open<OperationStatus>;
  /** Why it has this status; empty where there is nothing to say. */
  status_reason: string;
  /** The service's id of the operation. */
  operation_id: string;
  /** The id that was signed, as decimal digits. */
  wallet_operation_id: string;
  /** The wallet. */
  address: string;
  /** The network of the wallet. */
  chain_selector: string;
  /** Unix seconds. */
  timestamp: number;
  /** What was signed, as hex. */
  digest?: string;
  /** keccak256 of `verifiable_event`. */
  event_hash?: string;
  /** The signed text of a confirmation: base64 of a `VerifiableEvent` as JSON. */
  verifiable_event?: string;
};

/** The payload of a `query.status`. */
export type QueryStatusPayload = {
  /** The query. */
  query_id: string;
  /** The new status. */
  status: Open<QueryStatus>;
  /** The address of the contract. */
  target: string;
  /** The network of the contract. */
  chain_selector: string;
  /** Unix seconds. */
  timestamp: number;
  /** keccak256 of `verifiable_result`. */
  event_hash?: string;
  /** The signed answer: base64 of a `VerifiableResult` as JSON. */
  verifiable_result?: string;
};

/** The payload of a `watcher.status`. */
export type WatcherStatusPayload = {
  /** The watcher. */
  watcher_id: string;
  /** The new status. `archive_failed` is shown as `failed` by the watcher itself. */
  status: Open<WatcherStatus>;
  /** Why it has this status; empty where there is nothing to say. */
  status_reason: string;
  /** The network of the contract. */
  chain_selector: string;
  /** Unix seconds. */
  timestamp: number;
  /** The service that describes the contract. */
  service?: string;
  /** The workflow that runs the watcher. */
  workflow_id?: string;
};

/** The payload of a `wallet.status`. */
export type WalletStatusPayload = {
  /** The wallet. */
  wallet_id: string;
  /** The new status. */
  status: Open<WalletStatus>;
  /** Why it has this status; empty where there is nothing to say. */
  status_reason: string;
  /** The address of the smart account; empty until `deployed`. */
  address: string;
  /** The network of the wallet. */
  chain_selector: string;
  /** Unix seconds. */
  timestamp: number;
};
