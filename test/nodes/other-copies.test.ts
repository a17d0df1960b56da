import type { Node, NodeAPI } from "node-red";
import should from "should";
import { nodeRedContext } from "../../nodes/common/context.ts";
import {
  isHighlyAvailable,
  isOfOtherCopy,
  noteOtherCopy,
  onOtherCopy,
} from "../../nodes/common/fleet/other-copies.ts";
import { ContextCursorStore } from "../../nodes/events-in/context-store.ts";
import { CopiesNote } from "../../nodes/events-in/status/notes.ts";
import { isFirstTry, noteSender } from "../../nodes/submit-operation/sender.ts";
import type { CursorState, Operation } from "../../src/index.ts";

describe("another copy of a flow", () => {
  const ends: Array<() => void> = [];
  afterEach(() => {
    for (const end of ends.splice(0)) end();
  });
  const reader = (consumer: string, channelId: string) => {
    const noted: string[] = [];
    ends.push(onOtherCopy({ consumer, channelId, note: (evidence) => noted.push(evidence) }));
    return noted;
  };
  const flowfuse = (more: object = {}) => ({ forgeURL: "https://forge.example", projectID: "p", ...more });
  const many = flowfuse({ projectLink: { useSharedSubscriptions: true } });
  const RED = (settings: object = {}) =>
    ({ settings: { userDir: "/nowhere", ...settings }, _: (key: string) => key }) as unknown as NodeAPI;

  it("is told to the consumer of the event; without its name, to all of the channel", () => {
    const [one, other, elsewhere] = [reader("one", "c"), reader("other", "c"), reader("third", "d")];
    noteOtherCopy({ consumer: "one", channelId: "c" }, "operation");
    should([one, other, elsewhere]).deepEqual([["operation"], [], []]);
    noteOtherCopy({ channelId: "c" }, "cursor");
    should([one, other, elsewhere]).deepEqual([["operation", "cursor"], ["cursor"], []]);
    for (const end of ends.splice(0)) end();
    noteOtherCopy({ channelId: "c" }, "cursor");
    should(one).have.length(2);
  });

  it("is what FlowFuse says of an instance with high availability", () => {
    should(isHighlyAvailable(RED({ flowforge: many }))).be.true();
    should(isHighlyAvailable(RED({ flowforge: flowfuse({ useSharedSubscriptions: true }) }))).be.true();
    for (const settings of [
      {},
      { flowforge: flowfuse() },
      { flowforge: flowfuse({ projectLink: null }) },
      { flowforge: "x" },
    ])
      should(isHighlyAvailable(RED(settings))).be.false();
  });

  it("is said by events in under FlowFuse's high availability, unless the storage has the lock", () => {
    const noteOf = (settings: object, inContext: boolean) => {
      const warned: string[] = [];
      const node = { warn: (text: string) => warned.push(text) } as unknown as Node;
      const options = { consumer: "one", channelId: "c", isFleet: false, inContext, onChange: () => {} };
      const note = new CopiesNote({ ...nodeRedContext(RED(settings)), node }, options);
      ends.push(() => note.close());
      note.note("cursor");
      note.note("operation");
      should(warned).have.length(1);
      return note.isNoted;
    };
    should(noteOf({ flowforge: many }, false)).be.true();
    let changes = 0;
    const silent = { warn: () => {} } as unknown as Node;
    const shared = (settings: object, inContext: boolean) => {
      const onChange = () => {
        changes += 1;
      };
      const note = new CopiesNote(
        { ...nodeRedContext(RED(settings)), node: silent },
        {
          consumer: "one",
          channelId: "c",
          isFleet: false,
          inContext,
          onChange,
        },
      );
      ends.push(() => note.close());
      return note.isNoted;
    };
    should(shared({ flowforge: many }, false)).be.true();
    should(shared({ flowforge: many, crec: { stateDir: "/shared" } }, false)).be.false();
    should(shared({ flowforge: many, crec: { stateDir: "/shared" } }, true)).be.true();
    should(shared({ flowforge: flowfuse() }, true)).be.false();
    should(changes).equal(2);
  });

  it("is noticed when it moves the same stored cursor", async () => {
    const stored = new Map<string, unknown>();
    const context = {
      get: (key: string, _store: string, done: (error: null, value: unknown) => void) =>
        done(null, stored.get(key)),
      set: (key: string, value: unknown, _store: string, done: (error: null) => void) => {
        stored.set(key, value);
        done(null);
      },
    };
    const node = { context: () => ({ global: context }) } as unknown as Node;
    const noticed: string[] = [];
    const storeOf = (writer: string) =>
      new ContextCursorStore(node, "one", "shared", { writer, onOtherWriter: () => noticed.push(writer) });
    const state: CursorState = {
      version: 1,
      identity: { consumer: "one", channelId: "c", service: "s" },
      ...{ cursor: 1, floor: -1, handedOut: 1, delivered: [] },
    };
    const first = storeOf("first");
    await first.save(state);
    await first.save(state);
    // After a restart, the cursor is one of another process, which is no news.
    const again = storeOf("again");
    should(await again.load()).deepEqual(state);
    await again.save(state);
    should(noticed).be.empty();
    await first.save(state);
    should(noticed).deepEqual(["first"]);
    await again.save(state);
    should(noticed).deepEqual(["first", "again"]);
  });

  it("is one that sent the operation of an event that is new here, while this process runs", () => {
    const soon = Math.ceil(Date.now() / 1000) + 120;
    should(isOfOtherCopy(soon)).be.true();
    should(isOfOtherCopy(Math.floor((Date.now() - performance.now()) / 1000))).be.false();
    const noted = reader("one", "c");
    const operation = { created_at: soon } as Operation;
    const origin = { consumer: "one", channelId: "c" };
    const first = (key: string) => ({ found: true, origin, isEvent: true, isFirstTry: isFirstTry(key) });
    noteSender(operation, { ...first("sent"), found: false });
    // Of a second event about the same log.
    noteSender(operation, first("sent"));
    noteSender(operation, { ...first("of a flow"), isEvent: false });
    for (const more of [
      { redelivered: true },
      { attempt: 2 },
      { restored: true },
      { operationKey: "k" },
      { resumed: true },
    ])
      noteSender(operation, { ...first(JSON.stringify(more)), origin: { ...origin, ...more } });
    should(noted).be.empty();
    noteSender(operation, first("theirs"));
    should(noted).deepEqual(["operation"]);
  });
});
