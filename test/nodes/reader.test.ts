import should from "should";
import { Reader } from "../../nodes/events-in/reader/reader.ts";
import { EventConsumer } from "../../src/consumer/index.ts";
import { stateFrom } from "../../src/storage/cursor/cursor-state.ts";
import { type CursorIdentity, MemoryCursorStore } from "../../src/storage/index.ts";
import { eventually } from "../support/eventually.ts";

describe("the reader of events in", () => {
  const identity = { consumer: "importing", channelId: "channel", service: "http://service.test" };

  /** A reader that is not reading, on an empty channel, with a place that is written when the test says so. */
  const importing = (from: Partial<CursorIdentity> = {}, turnMs = 0) => {
    const [writing, written] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const kept = new MemoryCursorStore();
    const store = {
      load: () => kept.load(),
      save: async (...args: Parameters<typeof kept.save>) => {
        writing.resolve();
        await written.promise;
        return kept.save(...args);
      },
    };
    let polls = 0;
    const source = {
      poll: async () => {
        polls += 1;
        return { events: [], has_more: false };
      },
      get: () => Promise.reject(new Error("The channel is empty.")),
    };
    const consumer = new EventConsumer({ source, store, identity, start: "now", deliver: () => {} });
    const reader = new Reader(consumer, {
      store,
      identity,
      outputs: {
        dropped: 0,
        givenUp: 0,
        notices: 0,
        undecoded: 0,
        unknownTypes: [],
        inFlow: { count: 0, holdsUp: false },
        silentNodes: [],
      },
      watcherCheck: { unwatched: undefined },
      copies: { isNoted: false },
      lower: () => 0,
      position: () => undefined,
      levels: { networks: async () => [], watcher: async () => ({ confidence_level: "latest" }) },
      channelReader: { turnMs },
      sendLast: async () => ({ none: true }),
    });
    const imported = reader.importCursor(stateFrom({ ...identity, ...from }, 0));
    return { reader, consumer, kept, imported, writing, written, polls: () => polls };
  };

  it("starts at a place that was imported, also one of another machine's consumer and address", async () => {
    const from = { consumer: "exported", service: "http://127.0.0.2:8787" };
    const { reader, kept, imported, written, polls } = importing(from);
    written.resolve();
    await imported;
    // What was exported while a node ran is no sign of a crash; but what came since may have been sent.
    should(await kept.load()).deepEqual({ ...stateFrom(identity, 0), suspectUpTo: -1, restored: true });
    await eventually("a poll", polls);
    await reader.close();
  });

  it("reports how long its polls wait for their turn, where that is long", async () => {
    for (const [turnMs, reported] of [
      [100_000, { turnMs: 100_000 }],
      [30_000, {}],
    ] as const) {
      const { reader, imported, written } = importing({}, turnMs);
      written.resolve();
      await imported;
      const { turnMs: found } = (await reader.report()) as { turnMs?: number };
      should(found === undefined ? {} : { turnMs: found }).deepEqual(reported);
      await reader.close();
    }
  });

  it("does not start when its node was closed while the imported place was written", async () => {
    const { reader, consumer, kept, imported, writing, written, polls } = importing();
    await writing.promise;
    const closed = reader.close();
    written.resolve();
    await Promise.all([imported, closed]);
    should(await kept.load()).containEql(stateFrom(identity, 0));
    should(consumer.state).deepEqual({ kind: "stopped" });
    should(polls()).equal(0);
  });
});
