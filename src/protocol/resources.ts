import type { Hex } from "./addresses.ts";
import type { Confidence } from "./events.ts";
import type {
  ChannelStatus,
  Open,
  OperationStatus,
  QueryStatus,
  WalletStatus,
  WatcherStatus,
} from "./statuses.ts";

/** One page of a list endpoint. */
export type Page<T> = { data: T[]; has_more: boolean };

export type Network = {
  id: string;
  name: string;
  chain_selector: string;
  chain_id: string;
  chain_family: Open<"evm">;
  type?: Open<"mainnet" | "testnet">;
  /** The level at which its watchers report blocks unless they say otherwise. Not every service sends it. */
  default_confidence_level?: Open<Confidence>;
  created_at?: number;
  updated_at?: number;
};

export type Channel = {
  channel_id: string;
  name: string;
  description?: string;
  status: Open<ChannelStatus>;
  created_at: number;
};

export const WALLET_TYPES = ["ecdsa", "rsa", "protected_ecdsa", "protected_rsa"] as const;
export type WalletType = (typeof WALLET_TYPES)[number];
export type RsaPublicKey = { e: Hex; n: Hex };

export type Wallet = {
  wallet_id: string;
  name: string;
  description?: string;
  /** Empty until `deployed`. */
  address: string;
  wallet_owner_address: string;
  chain_selector: string;
  wallet_type: Open<WalletType>;
  status: Open<WalletStatus>;
  status_channel_id?: string;
  /** With what else the creator of the wallet put into it. */
  configuration?: { allowed_signers?: Array<string | RsaPublicKey>; [member: string]: unknown };
  allowed_ecdsa_signers?: string[];
  allowed_rsa_signers?: RsaPublicKey[];
  /** The level at which its operations are confirmed. Not every service sends it. */
  confidence_level?: Open<Confidence>;
  created_at?: number;
};

/** An ABI parameter as the service stores it; tuples carry `components`. */
export type AbiInput = {
  name: string;
  type: string;
  internalType?: string;
  indexed?: boolean;
  components?: AbiInput[];
};

/** The event part of an ABI: what a watcher is created with. */
export type EventFragment = { type: "event"; name: string; anonymous?: boolean; inputs: AbiInput[] };

export type Watcher = {
  watcher_id: string;
  name?: string;
  channel_id: string;
  created_at: number;
  status: Open<WatcherStatus>;
  chain_selector: string;
  address: string;
  service?: string;
  /** Left out of list answers. */
  events?: string[];
  abi?: EventFragment[];
  don_family?: string;
  /** The level at which it reports blocks. Not every service sends it. */
  confidence_level?: Open<Confidence>;
  workflow_id?: string;
  service_config?: Record<string, unknown>;
};

export type Subject = { subject_type: Open<"api_key" | "user">; subject_id: string; subject_name?: string };

export type TransactionPreview = { function_signature: string; metadata?: Record<string, unknown> };

/** One call of an operation as it crosses the wire: `value` is a decimal string of wei. */
export type WireTransaction = { to: string; value: string; data: string; preview?: TransactionPreview };

export type Operation = {
  operation_id: string;
  status: Open<OperationStatus>;
  chain_selector: string;
  /** The wallet that executes it. */
  address: string;
  /** uint256 as decimal digits; single use per wallet and chain. */
  wallet_operation_id: string;
  /** Unix seconds; 0 means none. */
  deadline: number;
  transactions: Array<WireTransaction & { preview_snapshot?: unknown }>;
  signature: string | null;
  digest?: string;
  initiator?: Subject;
  signer?: Subject;
  canceller?: Subject;
  signed_at?: number;
  cancelled_at?: number;
  confirmed_at?: number;
  created_at: number;
  updated_at: number;
  /** The workflow that sent it, and its run. */
  operation_writer_workflow_id?: string;
  operation_writer_workflow_execution_id?: string;
  /** The workflow that reported its status last, and its run. */
  operation_status_workflow_id?: string;
  operation_status_workflow_execution_id?: string;
};

export type BlockSelection =
  | { type: "latest" }
  | { type: "finalized" }
  | { type: "block_number"; block_number: string };

export type QueryParams = {
  contract_address: string;
  call_data: string;
  block_selection: BlockSelection;
  from_address?: string;
};

export type Query = {
  query_id: string;
  channel_id: string;
  status: Open<QueryStatus>;
  query_kind: Open<"evm_call">;
  chain_selector: string;
  target: string;
  event_hash?: string;
  /** base64 of the signed result, see `QueryResult`. */
  verifiable_result?: string;
  proof?: unknown;
  created_at: number;
  updated_at: number;
  expires_at?: number;
  accepted_at?: number;
  sending_at?: number;
  sent_at?: number;
  completed_at?: number;
  failed_at?: number;
  expired_at?: number;
  workflow_id?: string;
  workflow_execution_id?: string;
};
