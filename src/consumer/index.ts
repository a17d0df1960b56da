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
export { ReadBackoff, type ReadErrorKind, readErrorKindOf } from "./schedule/read-errors.ts";
export { type ChannelReader, type JoinOptions, joinChannel } from "./schedule/shared-channel.ts";
export { type EventCalls, type EventSource, eventSource } from "./source.ts";
