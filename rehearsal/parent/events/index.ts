export type { EventReader } from "./channel-pages.ts";
export {
  eventsOfFile,
  parseEventFile,
  type ReadEventFile,
  readEventFile,
  writeEventFile,
} from "./event-file.ts";
export { type PastEvents, type ReadOptions, readEvents } from "./read-events.ts";
export { type Span, type SpanChoice, spanOf } from "./span.ts";
