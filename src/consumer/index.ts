export type { Clock } from "../timing/index.ts";
export { EventConsumer } from "./consumer.ts";
export type { ConsumerLease } from "./consumer-lease.ts";
export { consumerNameTaken, type LockState, lockConsumer } from "./consumer-lock.ts";
export { copyCursorFile } from "./copy-cursor-file.ts";
export { type CursorIdentity, type CursorState, isCursorState } from "./cursor-state.ts";
export { FileCursorStore, type FileCursorStoreOptions } from "./file-store.ts";
export * from "./filter.ts";
export { type AckReceiver, findInFlight, noteAckReceiver } from "./find-in-flight.ts";
export * from "./highest-confidence.ts";
export type { InFlightEvent, Refusal } from "./in-flight.ts";
export { redeliveryMs } from "./in-flight.ts";
export type { Lease } from "./lease.ts";
export type { LeaseState, LeaseUser } from "./lease-claim.ts";
export { LeaseKeeper, type LeaseKeeperOptions, type WantedLease } from "./lease-keeper.ts";
export { MemorySharedState, type MemorySharedStateOptions } from "./memory-shared-state.ts";
export type {
  ConsumerStart,
  ConsumerState,
  Delivery,
  EventConsumerOptions,
  StartPosition,
} from "./options.ts";
export type { Pace } from "./pace.ts";
export { ReadBackoff } from "./read-backoff.ts";
export { type ReadErrorKind, readErrorKindOf } from "./read-errors.ts";
export { sharedCalls } from "./shared-calls.ts";
export { type ChannelReader, type JoinOptions, joinChannel } from "./shared-channel.ts";
export { SharedCursorStore, type SharedCursorStoreOptions } from "./shared-cursor-store.ts";
export { RECORD_LIMITS, recordText } from "./shared-record.ts";
export type * from "./shared-state.ts";
export { type EventCalls, type EventSource, eventSource } from "./source.ts";
export * from "./store.ts";
