// The answers of the service as schemas, with their names in /openapi.json. They are not used to serialize; a test
// checks real answers against them.
import Type, { type TSchema } from "typebox";
import {
  CHANNEL_STATUSES,
  CONFIDENCES,
  OPERATION_STATUSES,
  QUERY_STATUSES,
  RSA_PATTERNS,
  WALLET_STATUSES,
  WALLET_TYPES,
  WATCHER_STATUSES,
} from "../../../src/protocol/index.ts";
import { Address, ChainSelector, Id, oneOf } from "./schemas.ts";

const ConfidenceLevel = oneOf(CONFIDENCES);
const { Optional } = Type;
export const Text = Type.String();
export const Time = Type.Integer({ description: "a time in whole Unix seconds" });
export const Hash = Type.String({ pattern: "^0x[0-9a-f]{64}$" });
const Bytes = Type.String({ pattern: "^0x([0-9a-f]{2})*$" });
export const Digits = Type.String({ pattern: "^[0-9]+$", description: "a whole number in decimal digits" });
export const Base64 = Type.String({ description: "base64 of JSON: the bytes that are signed" });
export const WorkflowId = Type.String({ pattern: "^[0-9a-f]{64}$", description: "64 hex digits" });
export const RUN = { workflow_id: Optional(WorkflowId), workflow_execution_id: Optional(WorkflowId) };
export const OPERATION_RUNS = {
  operation_writer_workflow_id: Optional(WorkflowId),
  operation_writer_workflow_execution_id: Optional(WorkflowId),
  operation_status_workflow_id: Optional(WorkflowId),
  operation_status_workflow_execution_id: Optional(WorkflowId),
};
const Anything = Type.Record(Type.String(), Type.Unknown());

function Nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

/** One page of a list. */
export function pageOf(title: string, item: TSchema): TSchema {
  const page = {
    data: Type.Array(item),
    has_more: Type.Boolean({ description: "whether another page follows" }),
  };
  return Type.Object(page, { title, description: "a page of the list" });
}

export const NetworkAnswer = Type.Object(
  {
    id: Id,
    name: Text,
    chain_selector: ChainSelector,
    chain_id: Digits,
    chain_family: oneOf(["evm"]),
    type: oneOf(["mainnet", "testnet"]),
    default_confidence_level: ConfidenceLevel,
    created_at: Time,
    updated_at: Time,
  },
  { title: "Network" },
);

export const ChannelAnswer = Type.Object(
  {
    channel_id: Id,
    name: Text,
    description: Optional(Text),
    status: oneOf(CHANNEL_STATUSES),
    created_at: Time,
  },
  { title: "Channel", description: "the channel" },
);

export const RsaKey = Type.Object(
  {
    e: Type.String({ pattern: RSA_PATTERNS.e.source }),
    n: Type.String({ pattern: RSA_PATTERNS.n.source }),
  },
  { title: "RsaKey", description: "an RSA key {e, n}, both in hex" },
);

export const WalletAnswer = Type.Object(
  {
    wallet_id: Id,
    name: Text,
    description: Optional(Text),
    address: Type.Union([Address, Type.Literal("")], { description: "empty until the wallet is deployed" }),
    wallet_owner_address: Address,
    chain_selector: ChainSelector,
    wallet_type: oneOf(WALLET_TYPES),
    status: oneOf(WALLET_STATUSES),
    status_channel_id: Optional(Id),
    configuration: Type.Object(
      { allowed_signers: Type.Array(Type.Union([Address, RsaKey])) },
      { description: "as it was sent, with its other members" },
    ),
    allowed_ecdsa_signers: Type.Array(Address),
    allowed_rsa_signers: Type.Array(RsaKey),
    confidence_level: ConfidenceLevel,
    created_at: Time,
  },
  { title: "Wallet", description: "the wallet" },
);

const ABI_INPUT = {
  name: Text,
  type: Type.String({ minLength: 1 }),
  components: Optional(Type.Array(Type.Unknown({ description: "of a tuple, what it holds" }))),
};
const FRAGMENT = {
  type: Type.Literal("event", { description: '"event": the ABI takes event fragments only' }),
  name: Type.String({ minLength: 1 }),
};
const AbiInput = Type.Object(
  { ...ABI_INPUT, internalType: Text, indexed: Type.Boolean() },
  { title: "AbiInput" },
);
const EventFragment = Type.Object(
  { ...FRAGMENT, anonymous: Type.Boolean(), inputs: Type.Array(AbiInput) },
  { title: "EventFragment" },
);
const NewAbiInput = Type.Object(
  {
    ...ABI_INPUT,
    internalType: Optional(Text),
    indexed: Optional(Type.Boolean({ description: "true or false; false without it" })),
  },
  { title: "NewAbiInput" },
);
export const NewEventFragment = Type.Object(
  {
    ...FRAGMENT,
    anonymous: Optional(Type.Boolean({ description: "true or false; false without it" })),
    inputs: Type.Array(NewAbiInput),
  },
  { title: "NewEventFragment" },
);
/** As the public schema has it: nothing is filled in. */
export const StrictEventFragment = Type.Object(
  {
    ...FRAGMENT,
    anonymous: Type.Boolean({ description: "true or false" }),
    inputs: Type.Array(
      Type.Object(
        {
          ...ABI_INPUT,
          internalType: Type.String({ description: "the type in the source, as text" }),
          indexed: Type.Boolean({ description: "true or false" }),
        },
        { title: "NewAbiInput" },
      ),
    ),
  },
  { title: "NewEventFragment" },
);

const WATCHER = {
  watcher_id: Id,
  name: Text,
  channel_id: Id,
  created_at: Time,
  status: oneOf(WATCHER_STATUSES),
  chain_selector: ChainSelector,
  address: Address,
  service: Optional(Text),
  service_config: Optional(Anything),
  don_family: Text,
  confidence_level: ConfidenceLevel,
  workflow_id: Optional(WorkflowId),
};
export const WatcherAnswer = Type.Object(
  {
    ...WATCHER,
    events: Type.Array(Text),
    abi: Optional(Type.Array(EventFragment)),
  },
  { title: "Watcher", description: "the watcher" },
);
export const WatcherSummary = Type.Object(WATCHER, {
  title: "WatcherSummary",
  description: "a watcher without its events and ABI",
});

export const SUBJECT_TYPES = ["api_key", "user"] as const;
const Subject = Type.Object(
  { subject_type: oneOf(SUBJECT_TYPES), subject_id: Text, subject_name: Text },
  { title: "Subject", description: "who did it" },
);
export const TransactionPreview = Type.Object(
  {
    function_signature: Text,
    metadata: Optional(Anything),
  },
  {
    additionalProperties: false,
    title: "TransactionPreview",
    description: "an object of function_signature and, optionally, metadata",
  },
);
const PreviewSnapshot = Type.Object(
  { function_signature: Text, metadata: Optional(Anything), execution_values: Anything },
  { title: "PreviewSnapshot" },
);
const ShownTransaction = Type.Object(
  {
    ...{ to: Address, value: Digits, data: Bytes, preview_snapshot: Optional(PreviewSnapshot) },
    // Of drafts that call a proxy. The public service does not tell them.
    ...{ implementation: Optional(Address), upgraded_to: Optional(Address) },
  },
  { title: "Transaction" },
);
export const Transactions = Type.Array(ShownTransaction, { description: "never null" });
export const Digest = Nullable(Hash);
export const OperationAnswer = Type.Object(
  {
    operation_id: Id,
    status: oneOf(OPERATION_STATUSES),
    chain_selector: ChainSelector,
    address: Address,
    wallet_operation_id: Digits,
    deadline: Type.Integer({ description: "a time in whole Unix seconds, 0 for none" }),
    transactions: Transactions,
    signature: Nullable(Type.String()),
    digest: Digest,
    initiator: Subject,
    signer: Optional(Subject),
    canceller: Optional(Subject),
    signed_at: Optional(Time),
    cancelled_at: Optional(Time),
    confirmed_at: Optional(Time),
    created_at: Time,
    updated_at: Time,
    ...OPERATION_RUNS,
  },
  { title: "Operation", description: "the operation" },
);

/** The whole answer of the public service to a create. */
export const OperationCreated = Type.Object(
  { operation_id: Id },
  { title: "OperationCreated", description: "the id of the operation" },
);

const Proof = Type.Object(
  { alg: Text, ocr_report: Bytes, ocr_context: Bytes, signatures: Type.Array(Bytes) },
  { title: "OcrProof", description: "what the oracles signed" },
);

/** Other services may send proofs of other kinds. */
export const AnyProof = Type.Union([
  Proof,
  Type.Record(Type.String(), Type.Unknown(), { title: "OtherProof" }),
]);

export const QueryAccepted = Type.Object(
  { query_id: Id, status: oneOf(QUERY_STATUSES) },
  { title: "QueryAccepted", description: "the query is accepted" },
);
export const QueryAnswer = Type.Object(
  {
    query_id: Id,
    channel_id: Id,
    status: oneOf(QUERY_STATUSES),
    query_kind: oneOf(["evm_call"]),
    chain_selector: ChainSelector,
    target: Address,
    event_hash: Optional(Hash),
    verifiable_result: Optional(Base64),
    proof: Optional(AnyProof),
    created_at: Time,
    updated_at: Time,
    expires_at: Time,
    ...RUN,
    ...Object.fromEntries(QUERY_STATUSES.map((status) => [`${status}_at`, Optional(Time)])),
  },
  { title: "Query", description: "the query" },
);
