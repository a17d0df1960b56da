// The events that the service sends, as schemas: see resources.ts.
import Type from "typebox";
import {
  EVENT_TYPES,
  OPERATION_STATUSES,
  QUERY_STATUSES,
  WALLET_STATUSES,
  WATCHER_STATUSES,
} from "../../../src/protocol/index.ts";
import {
  AnyProof,
  Base64,
  Digest,
  Digits,
  Hash,
  OPERATION_RUNS,
  RUN,
  Text,
  Time,
  Transactions,
  WorkflowId,
} from "./resources.ts";
import { Address, ChainSelector, Id, oneOf } from "./schemas.ts";

const { Optional } = Type;

const PAYLOADS = [
  Type.Object(
    {
      status: oneOf(OPERATION_STATUSES),
      status_reason: Text,
      operation_id: Id,
      wallet_operation_id: Digits,
      address: Address,
      chain_selector: ChainSelector,
      timestamp: Time,
      digest: Digest,
      transactions: Transactions,
      event_hash: Optional(Hash),
      verifiable_event: Optional(Base64),
      ...OPERATION_RUNS,
    },
    { title: "OperationStatusPayload" },
  ),
  Type.Object(
    {
      query_id: Id,
      status: oneOf(QUERY_STATUSES),
      target: Address,
      chain_selector: ChainSelector,
      timestamp: Time,
      event_hash: Optional(Hash),
      verifiable_result: Optional(Base64),
      ...RUN,
    },
    { title: "QueryStatusPayload" },
  ),
  Type.Object(
    {
      watcher_id: Id,
      status: oneOf(WATCHER_STATUSES),
      status_reason: Text,
      chain_selector: ChainSelector,
      timestamp: Time,
      service: Optional(Text),
      workflow_id: Optional(WorkflowId),
    },
    { title: "WatcherStatusPayload" },
  ),
  Type.Object(
    {
      watcher_id: Id,
      chain_selector: ChainSelector,
      event_hash: Hash,
      verifiable_event: Base64,
      timestamp: Time,
      ...RUN,
    },
    { title: "WatcherEventPayload" },
  ),
  Type.Object(
    {
      wallet_id: Id,
      status: oneOf(WALLET_STATUSES),
      status_reason: Text,
      address: Text,
      chain_selector: ChainSelector,
      timestamp: Time,
    },
    { title: "WalletStatusPayload" },
  ),
];

export const EventAnswer = Type.Object(
  {
    event_id: Id,
    headers: Type.Object({
      type: oneOf(EVENT_TYPES),
      offset: Type.Integer({ minimum: 1 }),
      proofs: Type.Array(AnyProof),
    }),
    payload: Type.Union(PAYLOADS),
    channel_id: Id,
    created_at: Time,
  },
  { title: "Event", description: "the event" },
);
export const EventPage = Type.Object(
  { events: Type.Array(EventAnswer), has_more: Type.Boolean() },
  { title: "EventPage", description: "a page of events" },
);
