export type { Clock } from "./clock.ts";
export { EventConsumer } from "./consumer.ts";
export { type CursorIdentity, type CursorState, isCursorState } from "./cursor-state.ts";
export * from "./file-store.ts";
export * from "./filter.ts";
export type { Refusal } from "./in-flight.ts";
export type {
  ConsumerStart,
  ConsumerState,
  Delivery,
  EventConsumerOptions,
  StartPosition,
} from "./options.ts";
export { findInFlight } from "./running.ts";
export { type EventCalls, type EventSource, eventSource } from "./source.ts";
export * from "./store.ts";
