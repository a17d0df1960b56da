import type { Hex } from "./ids.ts";
import type { Confidence } from "./signed-texts.ts";
import type { ChannelStatus, OperationStatus, QueryStatus, WalletStatus, WatcherStatus } from "./statuses.ts";
import type { Open } from "./unlisted.ts";

/**
 * Resources and requests as they cross the wire, in the names of the service (snake_case). What the service answers is
 * returned like this, untouched. Times are Unix seconds.
 */

/** One page of a list. */
export type Page<T> = {
  /** The items of this page. */
  data: T[];
  /** Whether another page follows. */
  has_more: boolean;
};

/** A blockchain that the service works on. */
export type Network = {
  /** The service's id of it. */
  id: string;
  /** Its name for people. */
  name: string;
  /** Identifies the network in every call: a uint64 as decimal digits. */
  chain_selector: string;
  /** The chain id that signatures are bound to, as decimal digits on EVM chains. */
  chain_id: string;
  /** The kind of chain. */
  chain_family: Open<"evm">;
  /** Whether its coins have a value. */
  type?: Open<"mainnet" | "testnet">;
  /** The confidence level at which its watchers report blocks by default. Not every service sends it. */
  default_confidence_level?: Open<Confidence>;
  created_at?: number;
  updated_at?: number;
};

/** A stream of events, with the watchers, operations and queries that write to it. */
export type Channel = {
  /** The id of the channel. */
  channel_id: string;
  /** Unique in the organization among channels that are not archived. */
  name: string;
  /** Free text for people. */
  description?: string;
  status: Open<ChannelStatus>;
  created_at: number;
};

/** What signs for a wallet: an ECDSA or RSA key; `protected_` types add the service's own protection. */
export const WALLET_TYPES = ["ecdsa", "rsa", "protected_ecdsa", "protected_rsa"] as const;
export type WalletType = (typeof WALLET_TYPES)[number];

/** An RSA public key. */
export type RsaPublicKey = {
  /** The exponent. */
  e: Hex;
  /** The modulus. */
  n: Hex;
};

/** A smart account on one network, which executes operations. */
export type Wallet = {
  /** The id of the wallet. */
  wallet_id: string;
  /** Unique in the organization. */
  name: string;
  /** Free text for people. */
  description?: string;
  /** The address of the smart account. Empty until `deployed`. */
  address: string;
  /** The address that may change its signers on chain. */
  wallet_owner_address: string;
  /** The network it is on. */
  chain_selector: string;
  /** What signs for it. */
  wallet_type: Open<WalletType>;
  status: Open<WalletStatus>;
  /** The channel that gets its status events. Without it, there are none. */
  status_channel_id?: string;
  /** Settings of its type, with what else its creator stored there. */
  configuration?: { allowed_signers?: Array<string | RsaPublicKey>; [member: string]: unknown };
  /** The addresses whose keys may sign, of a type with ECDSA keys. */
  allowed_ecdsa_signers?: string[];
  /** The public keys that may sign, of a type with RSA keys. */
  allowed_rsa_signers?: RsaPublicKey[];
  /** The confidence level at which its operations are confirmed. Not every service sends it. */
  confidence_level?: Open<Confidence>;
  created_at?: number;
};

/** A parameter of an ABI item, as the service stores it. */
export type AbiInput = {
  /** Empty where it has none. */
  name: string;
  /** Its ABI type, such as `uint256`. */
  type: string;
  /** Its type in the source code, such as `enum State`. */
  internalType?: string;
  /** Of an event: whether it is a topic. */
  indexed?: boolean;
  /** The parts of a tuple. */
  components?: AbiInput[];
};

/** The description of an event in an ABI, with which a watcher is created. */
export type EventFragment = {
  type: "event";
  /** The name of the event. */
  name: string;
  /** Whether its signature is not a topic. */
  anonymous?: boolean;
  /** Its parameters, in order. */
  inputs: AbiInput[];
};

/** Reports events of a contract on a channel. */
export type Watcher = {
  /** The id of the watcher. */
  watcher_id: string;
  /** Unique in its channel. */
  name?: string;
  /** The channel that gets the events. */
  channel_id: string;
  created_at: number;
  status: Open<WatcherStatus>;
  /** The network of the contract. */
  chain_selector: string;
  /** The address of the contract. */
  address: string;
  /** The service that describes the contract, where it was not created by an ABI. */
  service?: string;
  /** The names of the watched events. Left out of lists. */
  events?: string[];
  /** The descriptions of the watched events. Left out of lists. */
  abi?: EventFragment[];
  /** The oracle family that signs its events. */
  don_family?: string;
  /** The confidence level at which it reports blocks. Not every service sends it. */
  confidence_level?: Open<Confidence>;
  /** The workflow that runs it. */
  workflow_id?: string;
  /** Settings of its service. */
  service_config?: Record<string, unknown>;
};

/** Who did something: an API key or a user. */
export type Subject = {
  subject_type: Open<"api_key" | "user">;
  /** The id of the key or user. */
  subject_id: string;
  /** The name of the key or user. */
  subject_name?: string;
};

/** What a person who approves a draft should see of a call. */
export type TransactionPreview = {
  /** The function that is called, such as `transfer(address,uint256)`. */
  function_signature: string;
  /** Free data of the caller. */
  metadata?: Record<string, unknown>;
};

/** One call of an operation. */
export type WireTransaction = {
  /** The address that is called. */
  to: string;
  /** Wei that the wallet pays, as decimal digits. */
  value: string;
  /** Call data as hex. */
  data: string;
  /** For drafts. */
  preview?: TransactionPreview;
};

/** A call as the service shows it. */
export type ShownTransaction = WireTransaction & {
  /** What the service stored of a draft's preview. */
  preview_snapshot?: unknown;
  /** Of a draft that calls a proxy of ERC-1967: the contract whose code it ran then. Only the local service tells it. */
  implementation?: string;
  /** The implementation to which the proxy was upgraded since. */
  upgraded_to?: string;
};

/** A list of calls that a wallet executes, all or none. */
export type Operation = {
  /** The service's id of it. */
  operation_id: string;
  status: Open<OperationStatus>;
  /** The network of the wallet. */
  chain_selector: string;
  /** The wallet that executes it. */
  address: string;
  /** The id that is signed and that the wallet executes once: a uint256 as decimal digits. */
  wallet_operation_id: string;
  /** It is not executed after this time; 0 for no deadline. */
  deadline: number;
  /** The calls, in order. */
  transactions: ShownTransaction[];
  /** The signature of its digest; `null` for a draft. */
  signature: string | null;
  /** What is signed, as hex. */
  digest?: string;
  /** Who created it. */
  initiator?: Subject;
  /** Who submitted its signature. */
  signer?: Subject;
  /** Who cancelled it. */
  canceller?: Subject;
  signed_at?: number;
  cancelled_at?: number;
  confirmed_at?: number;
  created_at: number;
  updated_at: number;
  /** The workflow that sent it. */
  operation_writer_workflow_id?: string;
  /** The run of that workflow. */
  operation_writer_workflow_execution_id?: string;
  /** The workflow that reported its last status. */
  operation_status_workflow_id?: string;
  /** The run of that workflow. */
  operation_status_workflow_execution_id?: string;
};

/** The block that a query reads at; `block_number` as decimal digits. */
export type BlockSelection =
  | { type: "latest" }
  | { type: "finalized" }
  | { type: "block_number"; block_number: string };

/** The call of a query. */
export type QueryParams = {
  /** The address of the contract. */
  contract_address: string;
  /** What the contract is called with, as hex. */
  call_data: string;
  /** The block to read at. */
  block_selection: BlockSelection;
  /**
   * The caller, as the contract sees it.
   * @default the zero address
   */
  from_address?: string;
};

/** A call of a contract that changes nothing, answered with a proof. */
export type Query = {
  /** The id of the query. */
  query_id: string;
  /** The channel that gets its status events. */
  channel_id: string;
  status: Open<QueryStatus>;
  /** What kind of question it is. */
  query_kind: Open<"evm_call">;
  /** The network of the contract. */
  chain_selector: string;
  /** The address of the contract. */
  target: string;
  /** keccak256 of `verifiable_result`. */
  event_hash?: string;
  /** The signed answer: base64 of a `VerifiableResult` as JSON. */
  verifiable_result?: string;
  /** The proof of the signed answer. */
  proof?: unknown;
  created_at: number;
  updated_at: number;
  /** When it expires unless it is answered. */
  expires_at?: number;
  accepted_at?: number;
  sending_at?: number;
  sent_at?: number;
  completed_at?: number;
  failed_at?: number;
  expired_at?: number;
  /** The workflow that answered it. */
  workflow_id?: string;
  /** The run of that workflow. */
  workflow_execution_id?: string;
};
