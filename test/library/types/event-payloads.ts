// The types tell the payload of an event by its type. Lint compiles this file, and complains of a directive that
// is not needed: each stands above a mistake. Nothing runs it.
import {
  type ChannelEvent,
  type DecodedWatcherEvent,
  decodeEvent,
  isEvent,
  type OperationStatusPayload,
  type QueryStatusPayload,
  type VerifiableEvent,
  type WalletStatusPayload,
  type WatcherEventPayload,
  type WatcherStatusPayload,
} from "../../../src/index.ts";

export function run(event: ChannelEvent): unknown {
  // @ts-expect-error
  event.payload.watcher_id;
  // @ts-expect-error
  if (event.headers.type === "watcher.evnt") return;
  if (isEvent(event, "watcher.event")) {
    const payload: WatcherEventPayload = event.payload;
    const decoded: DecodedWatcherEvent = decodeEvent(event);
    // @ts-expect-error
    decoded.walletOperationId;
    return [payload.verifiable_event, decoded.name, decodeEvent(event).params];
  }
  if (isEvent(event, "operation.status")) {
    const payload: OperationStatusPayload = event.payload;
    // @ts-expect-error
    if (payload.status === "confrimed") return;
    // @ts-expect-error
    if (decodeEvent(event).status === "confrimed") return;
    return [payload.wallet_operation_id, decodeEvent(event).transactionHash];
  }
  if (isEvent(event, "query.status")) {
    const payload: QueryStatusPayload = event.payload;
    return [payload.query_id, decodeEvent(event).block?.number];
  }
  if (isEvent(event, "watcher.status")) {
    const payload: WatcherStatusPayload = event.payload;
    return [payload.watcher_id, decodeEvent(event).workflowId];
  }
  if (isEvent(event, "wallet.status")) {
    const payload: WalletStatusPayload = event.payload;
    return [payload.wallet_id, decodeEvent(event).wallet];
  }
  // @ts-expect-error
  isEvent(event, "watcher.evnt");
  // Of a type of tomorrow, all that is there.
  const rest: Record<string, unknown> = event.payload;
  const decoded: Record<string, unknown> = decodeEvent(event);
  return [rest, decoded];
}

export function ofAny(event: ChannelEvent, signed: VerifiableEvent): unknown {
  const decoded = decodeEvent(event);
  return "params" in decoded ? decoded.params : signed.chain_event?.tx_hash;
}
