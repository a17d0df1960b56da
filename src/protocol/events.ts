import type { Hex } from "./addresses.ts";
import type {
  Open,
  OperationStatus,
  QueryStatus,
  Unlisted,
  WalletStatus,
  WatcherStatus,
} from "./statuses.ts";

export const EVENT_TYPES = [
  "operation.status",
  "query.status",
  "watcher.status",
  "watcher.event",
  "wallet.status",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/**
 * The filters of an event search that apply to events of some types only. A search that names a type together
 * with a filter that is not in its list is refused; one that names no type may use them all. API 0.8.0 supports neither
 * `operation_id` nor `query_id`: the client applies these two itself.
 */
export const SEARCH_FILTERS = {
  "operation.status": ["status", "chain_selector", "address", "operation_id", "wallet_operation_id"],
  "query.status": ["status", "chain_selector", "query_id"],
  "watcher.status": ["watcher_id", "status", "chain_selector"],
  "watcher.event": ["watcher_id", "chain_selector", "address", "event_name", "service"],
  "wallet.status": ["wallet_id", "status", "chain_selector", "address"],
} as const satisfies Record<EventType, readonly string[]>;

/** How final the block of a chain event was when the oracles signed it, weakest first. */
export const CONFIDENCES = ["latest", "safe", "finalized"] as const;
export type Confidence = (typeof CONFIDENCES)[number];

/** Signed bytes of an OCR round: hex throughout. */
export type OcrProof = { alg: string; ocr_report: Hex; ocr_context: Hex; signatures: Hex[] };

/**
 * An event of any origin, whose type and payload nobody has looked at. `proofs` may hold items of kinds this version
 * does not know. `event_id` is `offset:` and the offset where the service sent none.
 */
export type EventEnvelope = {
  event_id: string;
  headers: { type: string; offset: number; proofs: unknown[] };
  payload: Record<string, unknown>;
  channel_id?: string;
  created_at?: number;
};

type EventOf<Type extends string, Payload> = Omit<EventEnvelope, "headers" | "payload"> & {
  headers: { type: Type; offset: number; proofs: unknown[] };
  payload: Payload;
};

export type OperationStatusEvent = EventOf<"operation.status", OperationStatusPayload>;
export type QueryStatusEvent = EventOf<"query.status", QueryStatusPayload>;
export type WatcherStatusEvent = EventOf<"watcher.status", WatcherStatusPayload>;
export type WatcherEvent = EventOf<"watcher.event", WatcherEventPayload>;
export type WalletStatusEvent = EventOf<"wallet.status", WalletStatusPayload>;
/** Of a type that this version does not list. */
export type UnlistedEvent = EventOf<Unlisted, Record<string, unknown>>;

/**
 * An event as the service sends it. `isEvent` tells one type from the others, with its payload: TypeScript does not
 * narrow an event by `event.headers.type === "…"`, which is a field of a field.
 */
export type ChannelEvent =
  | OperationStatusEvent
  | QueryStatusEvent
  | WatcherStatusEvent
  | WatcherEvent
  | WalletStatusEvent
  | UnlistedEvent;

/** The type of an event of any origin: some versions of the service send it at the top level, outside of the headers. */
export function eventTypeOf(event: unknown): string | undefined {
  const { headers, type: besideHeaders } = fieldsOf(event);
  const type = fieldsOf(headers).type ?? besideHeaders;
  return typeof type === "string" ? type : undefined;
}

function fieldsOf(value: unknown): { headers?: unknown; type?: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

/**
 * Whether an event is of this type, and so has the payload of this type. It looks at the type alone: the service says
 * what is in the payload, and a proof what of it is true.
 * @example
 * isEvent(event, "watcher.event") && event.payload.watcher_id === watcher.watcher_id; // → true
 */
export function isEvent<Type extends EventType>(
  event: ChannelEvent,
  type: Type,
): event is Extract<ChannelEvent, { headers: { type: Type } }> {
  return eventTypeOf(event) === type;
}

/** What an event without an id is known by: its place in the channel, which it keeps. */
export function idOfUnnamed(offset: number): string {
  return `offset:${offset}`;
}

/** The offset in such an id; `undefined` for an id that the service gave. */
export function offsetOfUnnamed(eventId: string): number | undefined {
  const [, digits] = /^offset:(\d{1,16})$/.exec(eventId) ?? [];
  return digits !== undefined && Number.isSafeInteger(Number(digits)) ? Number(digits) : undefined;
}

/** Whether an event has no id to ask the service for. */
export function isUnnamed({ event_id: eventId, headers: { offset } }: EventEnvelope): boolean {
  return eventId === idOfUnnamed(offset);
}

export type EventPage<Event = ChannelEvent> = { events: Event[]; has_more: boolean };

export type WatcherEventPayload = {
  watcher_id: string;
  chain_selector: string;
  event_hash: string;
  /** base64 of `VerifiableEvent`. */
  verifiable_event: string;
  timestamp: number;
};

export type OperationStatusPayload = {
  status: Open<OperationStatus>;
  status_reason: string;
  operation_id: string;
  wallet_operation_id: string;
  address: string;
  chain_selector: string;
  timestamp: number;
  digest?: string;
  event_hash?: string;
  verifiable_event?: string;
};

export type QueryStatusPayload = {
  query_id: string;
  status: Open<QueryStatus>;
  target: string;
  chain_selector: string;
  timestamp: number;
  event_hash?: string;
  /** base64 of `VerifiableResult`. */
  verifiable_result?: string;
};

export type WatcherStatusPayload = {
  watcher_id: string;
  status: Open<WatcherStatus>;
  status_reason: string;
  chain_selector: string;
  timestamp: number;
  service?: string;
  workflow_id?: string;
};

export type WalletStatusPayload = {
  wallet_id: string;
  status: Open<WalletStatus>;
  status_reason: string;
  address: string;
  chain_selector: string;
  timestamp: number;
};

/** What the oracles sign for a contract event. Integers of the chain are JSON integers here. */
export type ChainEvent = {
  chain_id: string;
  block_number: number;
  block_timestamp: number;
  confidence?: Open<Confidence>;
  tx_hash: string;
  address: string;
  topic_hash: string;
  log_index: number;
  event_signature: string;
  /** Keyed by the ABI's names in snake_case. */
  params?: Record<string, unknown>;
};

/** The JSON inside `verifiable_event`. Times are RFC 3339 here. */
export type VerifiableEvent = {
  service?: string;
  name: string;
  timestamp: string;
  chain_family?: string;
  chain_selector?: string;
  chain_event?: ChainEvent;
  data?: Record<string, unknown>;
};

export const QUERY_ERROR_CODES = [
  "CRE_GATEWAY_REJECTED",
  "CONTRACT_NOT_FOUND",
  "CALL_REVERTED",
  "CHAIN_UNAVAILABLE",
  "BLOCK_SELECTION_NOT_AVAILABLE",
  "CRE_WORKFLOW_FAILED",
  "QUERY_EXPIRED",
  "INTERNAL_ERROR",
] as const;
export type QueryErrorCode = (typeof QUERY_ERROR_CODES)[number];

/** The JSON inside `verifiable_result`: exactly one of `result` and `error` is there. */
export type VerifiableResult = {
  service: string;
  name: string;
  chain_selector: string;
  timestamp: string;
  data: {
    query_id: string;
    channel_id: string;
    query_kind: string;
    target: { from_address: string; contract_address: string; call_data: string };
    block_selection: {
      requested: { type: string; block_number?: string };
      resolved?: { block_number: string; block_hash: string; block_timestamp: number };
    };
    result?: { raw_return_data: string };
    error?: { code: Open<QueryErrorCode>; message: string; raw_revert_data?: string };
  };
};
