// The types let nobody read by a mistyped type. Lint compiles this file, and complains of a directive that
// is not needed: each stands above a mistake. Nothing runs it.
import { EventConsumer, type EventConsumerOptions, eventFilter, unlisted } from "../../../src/index.ts";

export function run(options: EventConsumerOptions): unknown {
  new EventConsumer({ ...options, types: ["watcher.event"] });
  new EventConsumer({ ...options, types: [unlisted("a type of tomorrow")], unlistedTypes: true });
  // @ts-expect-error
  new EventConsumer({ ...options, types: ["watcher.evnt"] });
  // @ts-expect-error
  return eventFilter({ types: ["watcher.evnt"] });
}
