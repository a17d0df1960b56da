export { consumerNameTaken, type LockState, lockConsumer } from "./consumer-lock.ts";
export type { ConsumerLease, Lease } from "./lease.ts";
export type { LeaseState, LeaseUser } from "./lease-claim.ts";
export { LeaseKeeper, type LeaseKeeperOptions, type WantedLease } from "./lease-keeper.ts";
export { MemorySharedState, type MemorySharedStateOptions } from "./memory-shared-state.ts";
export { sharedCalls } from "./shared-calls.ts";
export { SharedCursorStore, type SharedCursorStoreOptions } from "./shared-cursor-store.ts";
export type * from "./shared-state.ts";
export { RECORD_LIMITS, recordText } from "./shared-state.ts";
