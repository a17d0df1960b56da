import should from "should";
import { EventConsumer, type EventConsumerOptions, eventFilter } from "../../src/consumer/index.ts";
import { EVENT_TYPES, unlisted } from "../../src/protocol/index.ts";
import { makeEvent } from "./simulation.ts";

const NEW = unlisted("watcher.alarm");

describe("the types that a consumer is to read", () => {
  const make = (options: Pick<EventConsumerOptions, "types" | "unlistedTypes">) =>
    new EventConsumer({
      source: { poll: async () => ({ events: [], has_more: false }), get: async () => makeEvent(1) },
      store: { load: async () => undefined, save: async () => {} },
      identity: { consumer: "types", channelId: "c", service: "s" },
      start: "now",
      deliver: () => {},
      ...options,
    });

  it("are refused when they are mistyped, since every event would be dropped", () => {
    for (const wrong of [
      "watcher.evnt",
      "Watcher.event",
      "watcher.event ",
      "watcher.event\u200b",
      "",
      "watcher",
    ]) {
      const refused = {
        name: "ArgumentError",
        path: "types[1]",
        message: /is not a known event type\. It is one of operation\.status, .* set unlistedTypes\./,
      };
      should(() => make({ types: ["watcher.event", unlisted(wrong)] })).throw(refused);
      should(() => eventFilter({ types: ["watcher.event", unlisted(wrong)] })).throw(refused);
    }
  });

  it("are taken where they are listed, or where those of a newer service are allowed", () => {
    for (const types of [undefined, [], EVENT_TYPES]) make({ types });
    make({ types: ["watcher.event", NEW], unlistedTypes: true });
    const isWanted = eventFilter({ types: [NEW], unlistedTypes: true });
    should([makeEvent(1, { type: NEW }), makeEvent(2)].map(isWanted)).deepEqual([true, false]);
  });
});
