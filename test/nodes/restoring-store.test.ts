import should from "should";
import type { Position, Remembered } from "../../nodes/events-in/consumer-memory.ts";
import { moveLost, publishedOf, publishTo } from "../../nodes/events-in/fleet/lost-cursor.ts";
import { RestoringStore, type RestoringStoreOptions } from "../../nodes/events-in/fleet/restoring-store.ts";
import { type CursorState, MemoryCursorStore, MemorySharedState } from "../../src/index.ts";
import { systemClock } from "../../src/timing/index.ts";
import { eventually } from "../support/eventually.ts";

const IDENTITY = { consumer: "c", channelId: "1", service: "https://example.com" };

function stateAt(cursor: number): CursorState {
  return {
    ...{ version: 1, identity: IDENTITY },
    ...{ cursor, floor: -1, handedOut: cursor, delivered: [] },
  };
}

function positionAt(cursor: number, epoch: number, saved = 1): Position {
  return { ...stateAt(cursor), epoch, saved };
}

type Case = Partial<Pick<RestoringStoreOptions, "start" | "former">> & {
  state?: CursorState;
  replaced?: number;
  own?: Remembered;
  others?: Remembered[];
};

/** A copy that has taken a lease; what it said, and what it has stored. */
async function taken({ state, replaced, own, others = [], start = "now", former }: Case) {
  const store = new MemoryCursorStore();
  if (state) await store.save(state);
  const said: string[] = [];
  const over = new AbortController();
  const restoring = new RestoringStore({
    ...{ store, start, former, place: "here", waitMs: 20 },
    lease: { ...{ state, replaced, epoch: 100 }, clock: systemClock, over: over.signal },
    memory: { recall: async () => own, note: async () => {}, flush: async () => {} },
    published: async () => others,
    onAdopted: () => said.push("adopted"),
    onStartsOver: () => said.push("starts over"),
    onFirst: () => said.push("first"),
  });
  const begin = (signal = new AbortController().signal) => restoring.begin(stateAt(50), signal);
  return { restoring, store, said, begin, over };
}

describe("the shared cursor that the engine may have lost", () => {
  it("is used as it is where the epoch is not lower than the copy remembers", async () => {
    for (const own of [undefined, { epoch: 7, position: positionAt(9, 6) }]) {
      const { restoring } = await taken({ state: positionAt(5, 7), replaced: 7, ...(own ? { own } : {}) });
      should((await restoring.load())?.cursor).equal(5);
    }
  });

  it("is not used where the copy remembers a higher epoch, or a later save with the same one", async () => {
    for (const own of [{ epoch: 8 }, { epoch: 7, position: positionAt(3, 7, 2) }]) {
      const { restoring, begin } = await taken({ state: positionAt(5, 7), replaced: 7, own });
      should(await restoring.load()).be.undefined();
      const cursor = own.position?.cursor ?? 5;
      should(await begin()).have.properties({ cursor, restored: true });
      should((await restoring.load())?.cursor).equal(cursor);
    }
  });

  it("is restored with the highest epoch, not with the highest offset", async () => {
    const own = { epoch: 8, position: positionAt(20, 7) };
    const others = [{ epoch: 9, position: positionAt(3, 8) }, { epoch: 9 }];
    const { begin, store, said } = await taken({ own, others, former: stateAt(30), start: "beginning" });
    should(await begin()).have.properties({ cursor: 3, restored: true });
    should(await store.load()).have.properties({ cursor: 3, restored: true });
    should(said).be.empty();
  });

  it("is lost where a copy knows the consumer, and none knows a position", async () => {
    const others = [{ epoch: 9 }];
    const { begin } = await taken({ others, former: stateAt(30) });
    await should(begin()).be.rejectedWith({ code: "CURSOR_LOST" });
    const over = await taken({ others, start: "beginning" });
    should(await over.begin()).be.undefined();
    should(over.said).deepEqual(["starts over"]);
  });

  it("is the one from before sharing, where no copy has shared any", async () => {
    const { begin, store, said } = await taken({ own: {}, former: stateAt(30) });
    should((await begin())?.cursor).equal(30);
    should((await store.load())?.cursor).equal(30);
    should(said).deepEqual(["adopted"]);
  });

  it("is a new one where nothing is known, which it says", async () => {
    const { begin, said } = await taken({});
    should(await begin()).be.undefined();
    should(said).deepEqual(["first"]);
  });

  it("is not waited for once a person moves it, or the lease is over", async () => {
    const { begin, over } = await taken({ own: { epoch: 1, position: positionAt(1, 1) } });
    await should(begin(AbortSignal.abort(new Error("moved")))).be.rejectedWith("moved");
    over.abort(new Error("over"));
    await should(begin()).be.rejectedWith("over");
  });
});

describe("what a copy remembers of a consumer", () => {
  const copy = { id: "1", name: "a" };
  const elsewhere = (epoch: number) =>
    ({ kind: "elsewhere", holder: { copy: { id: "2", name: "b" }, epoch, renewedMsAgo: 0 } }) as const;

  it("is published when another copy has the lease, and goes on with that one's epoch once it has settled", async () => {
    const state = new MemorySharedState();
    const written: unknown[] = [];
    const shared = {
      readRecord: state.readRecord.bind(state),
      recordKeys: state.recordKeys.bind(state),
      // Its record does not live long with such a short lease.
      writeRecord: (write: Parameters<typeof state.writeRecord>[0]) => {
        written.push(write.value);
        return state.writeRecord({ ...write, ttlMs: 60_000 });
      },
    };
    const position = positionAt(3, 8);
    let known: Remembered = { epoch: 8, position };
    const memory = {
      recall: async () => known,
      note: async (more: Remembered = {}) => {
        known = { ...known, ...more };
      },
    };
    const publish = publishTo({ copy, leaseMs: 20, shared }, { key: "k", memory });
    publish({ kind: "looking" });
    should(await publishedOf(shared, "k")).be.empty();
    publish(elsewhere(9));
    await eventually("a record", () => written.length > 0);
    should(written).deepEqual([{ epoch: 8, position }]);
    await eventually("the record to be read", async () => (await publishedOf(shared, "k")).length > 0);
    should(await publishedOf(shared, "another")).be.empty();
    await eventually("the other epoch", () => known.epoch === 9);
    publish();
  });

  it("is published once the engine can be reached, and not by a copy that knows nothing", async () => {
    const shared = new MemorySharedState();
    let fails = 1;
    const readRecord: typeof shared.readRecord = async (scope, key) => {
      fails -= 1;
      if (fails >= 0) throw new Error("away");
      return shared.readRecord(scope, key);
    };
    const broken = {
      readRecord,
      writeRecord: shared.writeRecord.bind(shared),
      recordKeys: shared.recordKeys.bind(shared),
    };
    const memoryOf = (known: Remembered) => ({ recall: async () => known, note: async () => {} });
    const fleet = { copy, leaseMs: 5_000, shared: broken };
    const nothing = publishTo(fleet, { key: "k", memory: memoryOf({}) });
    nothing(elsewhere(9));
    const publish = publishTo(fleet, { key: "k", memory: memoryOf({ epoch: 4 }) });
    publish(elsewhere(9));
    should(
      await eventually(
        "a record",
        () => publishedOf(shared, "k"),
        (all) => all.length > 0,
      ),
    ).deepEqual([{ epoch: 4 }]);
    for (const end of [nothing, publish]) end();
  });
});

describe("a copy that stands by", () => {
  it("leaves it to the copy that reads to go on at the stored cursor", async () => {
    const shared = new MemorySharedState();
    should(await moveLost(shared, "key", "stored")).be.false();
    should(await moveLost(shared, "key", "now")).be.false();
    await should(moveLost(shared, "key", "elsewhere")).be.rejectedWith({ code: "INVALID_FIELD" });
  });
});
