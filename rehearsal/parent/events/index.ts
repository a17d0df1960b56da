export type { EventReader } from "./channel-pages.ts";
export {
  eventsOfFile,
  parseEventFile,
  type ReadEventFile,
  readEventFile,
  writeEventFile,
} from "./event-file.ts";
export { type PastEvents, readEvents } from "./read-events.ts";
export { type Span, spanOf } from "./span.ts";
