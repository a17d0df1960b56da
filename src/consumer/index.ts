export type { ConsumerLease } from "../ownership/consumer-lease.ts";
export { consumerNameTaken, type LockState, lockConsumer } from "../ownership/consumer-lock.ts";
export type { Lease } from "../ownership/lease.ts";
export type { LeaseState, LeaseUser } from "../ownership/lease-claim.ts";
export { LeaseKeeper, type LeaseKeeperOptions, type WantedLease } from "../ownership/lease-keeper.ts";
export { MemorySharedState, type MemorySharedStateOptions } from "../ownership/memory-shared-state.ts";
export { sharedCalls } from "../ownership/shared-calls.ts";
export { SharedCursorStore, type SharedCursorStoreOptions } from "../ownership/shared-cursor-store.ts";
export { RECORD_LIMITS, recordText } from "../ownership/shared-record.ts";
export type * from "../ownership/shared-state.ts";
export { copyCursorFile } from "../storage/cursor/copy-cursor-file.ts";
export { type CursorIdentity, type CursorState, isCursorState } from "../storage/cursor/cursor-state.ts";
export { FileCursorStore, type FileCursorStoreOptions } from "../storage/cursor/file-store.ts";
export * from "../storage/cursor/store.ts";
export type { Clock } from "../timing/index.ts";
export { EventConsumer } from "./consumer.ts";
export { type AckReceiver, findInFlight, noteAckReceiver } from "./delivery/find-in-flight.ts";
export * from "./delivery/highest-confidence.ts";
export type { InFlightEvent, Refusal } from "./delivery/in-flight.ts";
export { redeliveryMs } from "./delivery/in-flight.ts";
export * from "./filter.ts";
export type {
  ConsumerStart,
  ConsumerState,
  Delivery,
  EventConsumerOptions,
  StartPosition,
} from "./options.ts";
export type { Pace } from "./schedule/pace.ts";
export { ReadBackoff } from "./schedule/read-backoff.ts";
export { type ReadErrorKind, readErrorKindOf } from "./schedule/read-errors.ts";
export { type ChannelReader, type JoinOptions, joinChannel } from "./schedule/shared-channel.ts";
export { type EventCalls, type EventSource, eventSource } from "./source.ts";
