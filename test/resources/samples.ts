import * as Hash from "ox/Hash";
import type {
  Channel,
  Network,
  Operation,
  OperationStatusPayload,
  Query,
  QueryStatusPayload,
  VerifiableEvent,
  VerifiableResult,
  Wallet,
  WalletStatusPayload,
  Watcher,
  WatcherEventPayload,
  WatcherStatusPayload,
} from "../../src/protocol/index.ts";
import { operationDigest, walletOperationIdOf } from "../../src/signing/index.ts";
import { proofOf, toSignedText } from "../proofs/fixtures.ts";
import { CHAIN, ID } from "./support.ts";

type Fields = Record<string, unknown>;
// biome-ignore lint/complexity/noBannedTypes: {} is what a type extends whose only field is optional
type OptionalKey<T> = { [K in keyof T]-?: {} extends Pick<T, K> ? K : never }[keyof T] & string;

/** What a service sends with every field there is, and the paths of those that it may leave out. */
export type Sample = { full: Fields; optional: readonly string[] };

/** The compiler asks for each field of the type, and for each optional one by name; `more` has those inside others. */
function sample<T extends object>(
  full: Required<T> & Fields,
  optional: Record<OptionalKey<T>, true>,
  more: readonly string[] = [],
): Sample {
  return { full, optional: [...Object.keys(optional), ...more] };
}

export const WALLET_ADDRESS = "0x1111111111111111111111111111111111111111";
export const CONTRACT = "0x2222222222222222222222222222222222222222";
export const KEY_OF_OPERATION = "order 4711";
const HASH = `0x${"ab".repeat(32)}` as const;
const TIME = 1_800_000_000;
const RFC_TIME = "2027-01-15T08:00:00Z";
const SUBJECT = {
  subject_type: "api_key",
  subject_id: "key-1",
  subject_name: "the key of the line",
} as const;
export const OPERATION_ID = walletOperationIdOf(KEY_OF_OPERATION, {
  chainSelector: CHAIN,
  address: WALLET_ADDRESS,
});
const CALL = { to: CONTRACT, value: "0", data: "0xd09de08a" };
export const QUESTION = {
  contract_address: CONTRACT,
  call_data: "0xd09de08a",
  block_selection: { type: "latest" },
} as const;
const EVENT_ABI = {
  type: "event",
  name: "Moved",
  anonymous: false,
  inputs: [
    {
      name: "by",
      type: "tuple",
      internalType: "struct By",
      indexed: false,
      components: [{ name: "who", type: "address" }],
    },
  ],
} as const;

export const SAMPLES = {
  network: sample<Network>(
    {
      ...{
        id: ID,
        name: "demo",
        chain_selector: CHAIN,
        chain_id: "31337",
        chain_family: "evm",
        type: "testnet",
      },
      ...{ default_confidence_level: "latest", created_at: TIME, updated_at: TIME },
    },
    { type: true, default_confidence_level: true, created_at: true, updated_at: true },
  ),
  channel: sample<Channel>(
    { channel_id: ID, name: "demo", description: "for tests", status: "active", created_at: TIME },
    { description: true },
  ),
  wallet: sample<Wallet>(
    {
      ...{ wallet_id: ID, name: "demo", description: "for tests", address: WALLET_ADDRESS },
      ...{
        wallet_owner_address: WALLET_ADDRESS,
        chain_selector: CHAIN,
        wallet_type: "ecdsa",
        status: "deployed",
      },
      ...{ status_channel_id: ID, configuration: { allowed_signers: [WALLET_ADDRESS] } },
      ...{ allowed_ecdsa_signers: [WALLET_ADDRESS], allowed_rsa_signers: [], created_at: TIME },
      confidence_level: "latest",
    },
    {
      ...{ description: true, status_channel_id: true, configuration: true, created_at: true },
      ...{ allowed_ecdsa_signers: true, allowed_rsa_signers: true, confidence_level: true },
    },
    ["address"],
  ),
  watcher: sample<Watcher>(
    {
      ...{ watcher_id: ID, name: "demo", channel_id: ID, created_at: TIME, status: "active" },
      ...{
        chain_selector: CHAIN,
        address: CONTRACT,
        service: "",
        events: ["Moved"],
        abi: [EVENT_ABI] as never,
      },
      ...{ don_family: "zone-a", workflow_id: "1".repeat(64), service_config: { limit: null } },
      confidence_level: "latest",
    },
    {
      ...{ name: true, service: true, events: true, abi: true, don_family: true },
      ...{ workflow_id: true, service_config: true, confidence_level: true },
    },
    [
      ...["abi.0.anonymous", "abi.0.inputs.0.internalType", "abi.0.inputs.0.indexed"],
      "abi.0.inputs.0.components",
    ],
  ),
  operation: sample<Operation>(
    {
      ...{ operation_id: ID, status: "confirmed", chain_selector: CHAIN, address: WALLET_ADDRESS },
      ...{ wallet_operation_id: OPERATION_ID, deadline: 0, signature: `0x${"11".repeat(65)}` },
      transactions: [
        {
          ...CALL,
          preview_snapshot: {
            function_signature: "increment()",
            metadata: { note: null },
            execution_values: {},
          },
        },
      ],
      digest: operationDigest(
        { id: OPERATION_ID, account: WALLET_ADDRESS, deadline: 0, transactions: [CALL] },
        31337,
      ),
      ...{ initiator: SUBJECT, signer: SUBJECT, canceller: SUBJECT },
      ...{ signed_at: TIME, cancelled_at: TIME, confirmed_at: TIME, created_at: TIME, updated_at: TIME },
      ...{ operation_writer_workflow_id: "1".repeat(64), operation_writer_workflow_execution_id: "2" },
      ...{ operation_status_workflow_id: "3", operation_status_workflow_execution_id: "4" },
    },
    {
      ...{ digest: true, initiator: true, signer: true, canceller: true },
      ...{ signed_at: true, cancelled_at: true, confirmed_at: true },
      ...{ operation_writer_workflow_id: true, operation_writer_workflow_execution_id: true },
      ...{ operation_status_workflow_id: true, operation_status_workflow_execution_id: true },
    },
    [
      ...["transactions", "signature", "initiator.subject_name"],
      ...["transactions.0.preview_snapshot", "transactions.0.preview_snapshot.metadata"],
    ],
  ),
};

/** What oracles sign of a contract event. */
export const SIGNED_LOG = sample<VerifiableEvent>(
  {
    ...{ service: "", name: "Moved", timestamp: RFC_TIME, chain_family: "evm", chain_selector: CHAIN },
    chain_event: {
      ...{ chain_id: "31337", block_number: 7, block_timestamp: TIME, confidence: "latest", tx_hash: HASH },
      ...{ address: CONTRACT, topic_hash: HASH, log_index: 0, event_signature: "Moved(uint256)" },
      params: { by: "1" },
    },
    data: { more: null },
  },
  { service: true, chain_family: true, chain_selector: true, chain_event: true, data: true },
  ["chain_event.confidence", "chain_event.params"],
);

/** What oracles sign of an operation's status: its data is always there. */
export const SIGNED_STATUS = sample<VerifiableEvent & { data: object }>(
  {
    ...{ service: "_crec", name: "OperationStatus", timestamp: RFC_TIME, chain_family: "evm" },
    ...{ chain_selector: CHAIN, chain_event: null as never },
    data: {
      ...{ wallet_operation_id: OPERATION_ID, wallet_address: WALLET_ADDRESS, status: "confirmed" },
      ...{ status_reason: "", transaction_hash: HASH },
    },
  },
  { service: true, chain_family: true, chain_selector: true, chain_event: true },
  ["data.status_reason", "data.transaction_hash"],
);

/** What oracles sign of an answer. */
export const SIGNED_ANSWER = sample<VerifiableResult>(
  {
    ...{ service: "_crec", name: "ChainQuery", chain_selector: CHAIN, timestamp: RFC_TIME },
    data: {
      ...{ query_id: ID, channel_id: ID, query_kind: "evm_call" },
      target: {
        from_address: `0x${"0".repeat(40)}`,
        contract_address: CONTRACT,
        call_data: QUESTION.call_data,
      },
      block_selection: {
        requested: { type: "latest" },
        resolved: { block_number: "7", block_hash: HASH, block_timestamp: TIME },
      },
      result: { raw_return_data: `0x${"0".repeat(63)}5` },
    },
  },
  {},
  ["data.block_selection.resolved", "data.block_selection.requested.block_number", "data.error"],
);

type EventParts<Payload> = {
  type: string;
  payload: Required<Payload> & Fields;
  signed?: Fields;
  place?: string;
};

/** An event whose proof holds, in the envelope with every field. */
function eventSample<Payload extends object>(
  { type, payload, signed, place = "verifiable_event" }: EventParts<Payload>,
  optional: Record<OptionalKey<Payload>, true>,
): Sample {
  const text = signed === undefined ? undefined : toSignedText(signed);
  const event_hash = text && Hash.keccak256(new Uint8Array(Buffer.from(text)), { as: "Hex" });
  const full = {
    ...{ event_id: ID, channel_id: ID, created_at: TIME, type },
    headers: { type, offset: 5, proofs: text === undefined ? [] : [proofOf(text)] },
    payload: { ...payload, ...(text === undefined ? {} : { [place]: text, event_hash }) },
  };
  const inside = Object.keys(optional).map((name) => `payload.${name}`);
  const atTop = ["event_id", "channel_id", "created_at", "type", "headers.type", "headers.proofs"];
  return { full, optional: [...atTop, "payload.workflow_id", "payload.status_reason", ...inside] };
}

export const contractEvent = (signed: Fields = SIGNED_LOG.full): Sample =>
  eventSample<WatcherEventPayload>(
    {
      type: "watcher.event",
      payload: {
        ...{ watcher_id: ID, chain_selector: CHAIN, timestamp: TIME, workflow_id: "1" },
        ...{ event_hash: "", verifiable_event: "" },
      },
      signed,
    },
    {},
  );

export const operationStatus = (signed: Fields = SIGNED_STATUS.full): Sample =>
  eventSample<OperationStatusPayload>(
    {
      type: "operation.status",
      payload: {
        ...{ status: "confirmed", status_reason: "", operation_id: ID, wallet_operation_id: OPERATION_ID },
        ...{ address: WALLET_ADDRESS, chain_selector: CHAIN, timestamp: TIME, digest: HASH },
        ...{ event_hash: "", verifiable_event: "", transactions: [CALL], workflow_id: "1" },
      },
      signed,
    },
    { digest: true, event_hash: true, verifiable_event: true },
  );

export const queryStatus = (signed: Fields = SIGNED_ANSWER.full): Sample =>
  eventSample<QueryStatusPayload>(
    {
      type: "query.status",
      payload: {
        ...{ query_id: ID, status: "completed", target: CONTRACT, chain_selector: CHAIN, timestamp: TIME },
        ...{ event_hash: "", verifiable_result: "", workflow_id: "1" },
      },
      signed,
      place: "verifiable_result",
    },
    { event_hash: true, verifiable_result: true },
  );

export const watcherStatus = (): Sample =>
  eventSample<WatcherStatusPayload>(
    {
      type: "watcher.status",
      payload: {
        ...{ watcher_id: ID, status: "active", status_reason: "", chain_selector: CHAIN },
        ...{ timestamp: TIME, service: "", workflow_id: "1" },
      },
    },
    { service: true, workflow_id: true },
  );

export const walletStatus = (): Sample =>
  eventSample<WalletStatusPayload>(
    {
      type: "wallet.status",
      payload: {
        ...{ wallet_id: ID, status: "deployed", status_reason: "", address: WALLET_ADDRESS },
        ...{ chain_selector: CHAIN, timestamp: TIME },
      },
    },
    {},
  );

export const querySample = (signed: Fields = SIGNED_ANSWER.full): Sample => {
  const text = toSignedText(signed);
  return sample<Query>(
    {
      ...{ query_id: ID, channel_id: ID, status: "completed", query_kind: "evm_call", chain_selector: CHAIN },
      ...{ target: CONTRACT, verifiable_result: text, proof: proofOf(text) },
      event_hash: Hash.keccak256(new Uint8Array(Buffer.from(text)), { as: "Hex" }),
      ...{ created_at: TIME, updated_at: TIME, expires_at: TIME, accepted_at: TIME, sending_at: TIME },
      ...{ sent_at: TIME, completed_at: TIME, failed_at: TIME, expired_at: TIME },
      ...{ workflow_id: "1", workflow_execution_id: "2" },
    },
    {
      ...{ event_hash: true, verifiable_result: true, proof: true, expires_at: true, accepted_at: true },
      ...{ sending_at: true, sent_at: true, completed_at: true, failed_at: true, expired_at: true },
      ...{ workflow_id: true, workflow_execution_id: true },
    },
  );
};

export type How = "null" | "left out";

/** A copy in which the fields at these paths are `null`, or left out. */
export function lacking(full: Fields, paths: readonly string[], how: How): Fields {
  const copy = structuredClone(full);
  for (const path of paths) {
    const names = path.split(".");
    const last = names.pop() ?? "";
    let at: unknown = copy;
    for (const name of names) at = (at as Fields | null | undefined)?.[name];
    if (typeof at !== "object" || at === null) continue;
    if (how === "null") (at as Fields)[last] = null;
    else delete (at as Fields)[last];
  }
  return copy;
}
