export type { Clock } from "./clock.ts";
export { EventConsumer } from "./consumer.ts";
export type { CursorIdentity, CursorState } from "./cursor.ts";
export * from "./file-store.ts";
export * from "./filter.ts";
export type { ConsumerState, Delivery, EventConsumerOptions, StartPosition } from "./options.ts";
export { type EventCalls, type EventSource, eventSource } from "./source.ts";
export * from "./store.ts";
