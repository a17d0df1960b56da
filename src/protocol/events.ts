import type { OperationStatus, QueryStatus, WalletStatus, WatcherStatus } from "./statuses.ts";
import type { Open, Unlisted } from "./unlisted.ts";

/** The types of events on a channel. */
export const EVENT_TYPES = [
  "operation.status",
  "query.status",
  "watcher.status",
  "watcher.event",
  "wallet.status",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/**
 * The filters of an event search that apply to some types only. A search that names a type together with a filter that
 * is not in its list is refused; one that names no type may use all of them. API 0.8.0 supports neither `operation_id`
 * nor `query_id`: the client applies these two itself.
 */
export const SEARCH_FILTERS = {
  "operation.status": ["status", "chain_selector", "address", "operation_id", "wallet_operation_id"],
  "query.status": ["status", "chain_selector", "query_id"],
  "watcher.status": ["watcher_id", "status", "chain_selector"],
  "watcher.event": ["watcher_id", "chain_selector", "address", "event_name", "service"],
  "wallet.status": ["wallet_id", "status", "chain_selector", "address"],
} as const satisfies Record<EventType, readonly string[]>;

/** An event whose type and payload have not been checked. */
export type EventEnvelope = {
  /** The id of the event; `offset:` and the offset where the service sent none. */
  event_id: string;
  headers: {
    /** Says what the payload is. */
    type: string;
    /** The position in the channel. */
    offset: number;
    /** May hold proofs of kinds that this version does not know. */
    proofs: unknown[];
  };
  /** The content of the event. */
  payload: Record<string, unknown>;
  /** The channel of the event. Not every service sends it. */
  channel_id?: string;
  /** When it was written, in Unix seconds. Not every service sends it. */
  created_at?: number;
};

type EventOf<Type extends string, Payload> = Omit<EventEnvelope, "headers" | "payload"> & {
  headers: { type: Type; offset: number; proofs: unknown[] };
  payload: Payload;
};

/** An operation has a new status. */
export type OperationStatusEvent = EventOf<"operation.status", OperationStatusPayload>;
/** A query has a new status. */
export type QueryStatusEvent = EventOf<"query.status", QueryStatusPayload>;
/** A watcher has a new status. */
export type WatcherStatusEvent = EventOf<"watcher.status", WatcherStatusPayload>;
/** A watched contract has emitted an event. */
export type WatcherEvent = EventOf<"watcher.event", WatcherEventPayload>;
/** A wallet has a new status. */
export type WalletStatusEvent = EventOf<"wallet.status", WalletStatusPayload>;
/** An event of a type that this version does not list. */
export type UnlistedEvent = EventOf<Unlisted, Record<string, unknown>>;

/**
 * An event as the service sends it. Use `isEvent` to narrow it to one type with its payload: TypeScript does not narrow
 * an event by `event.headers.type === "…"`, which is a field of a field.
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
 * Whether an event is of this type, and so has the payload of this type. It checks the type only: a proof shows which
 * part of the payload is true.
 * @example
 * isEvent(event, "watcher.event") && event.payload.watcher_id === watcher.watcher_id; // → true
 */
export function isEvent<Type extends EventType>(
  event: ChannelEvent,
  type: Type,
): event is Extract<ChannelEvent, { headers: { type: Type } }> {
  try {
    return eventTypeOf(event) === type;
  } catch {
    // A getter or a proxy, which no event of the service is.
    return false;
  }
}

/** When the service reported an event, as it states that: in Unix seconds, not signed, and perhaps wrong. */
export function statedTimeOf({ created_at, payload }: ChannelEvent): number | undefined {
  const time = created_at ?? payload?.timestamp;
  return typeof time === "number" ? time : undefined;
}

/** The id of an event that the service sent without one: its offset in the channel, which never changes. */
export function idOfUnnamed(offset: number): string {
  return `offset:${offset}`;
}

/** The offset in such an id; `undefined` for an id of the service. */
export function offsetOfUnnamed(eventId: string): number | undefined {
  const [, digits] = /^offset:(\d{1,16})$/.exec(eventId) ?? [];
  return digits !== undefined && Number.isSafeInteger(Number(digits)) ? Number(digits) : undefined;
}

/** Whether the service sent the event without an id, so that it cannot be read by its id. */
export function isUnnamed({ event_id: eventId, headers: { offset } }: EventEnvelope): boolean {
  return eventId === idOfUnnamed(offset);
}

/** One page of a channel's events. */
export type EventPage<Event = ChannelEvent> = {
  /** The events, in any order. */
  events: Event[];
  /** Whether the channel has more events after this page. */
  has_more: boolean;
};

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
