import should from "should";
import { CrecError } from "../../src/errors.ts";
import { MemorySharedState, SharedCursorStore, type SharedState } from "../../src/ownership/index.ts";
import { Lease } from "../../src/ownership/lease.ts";
import type { CursorState } from "../../src/storage/index.ts";
import { IDENTITY, SimulatedClock } from "./simulation.ts";

const COPY = { id: "1", name: "a" };
const OTHER = { id: "2", name: "b" };

const stateAt = (cursor: number): CursorState => ({
  ...{ version: 1, identity: IDENTITY },
  ...{ cursor, floor: -1, handedOut: cursor, delivered: [] },
});

/** A store with a lease of ten seconds, and what reached the engine: cursors, with the time since the beginning. */
async function world() {
  const clock = new SimulatedClock();
  const shared = new MemorySharedState({ clock });
  const writes: Array<[cursor: number, atMs: number]> = [];
  const began = clock.now();
  clock.activity = () => writes.length;
  let fault: () => Promise<void> | void = () => {};
  const link: Pick<SharedState, "save"> = {
    save: async (key, epoch, state, leaseMs) => {
      writes.push([state.cursor, clock.now() - began]);
      await fault();
      return shared.save(key, epoch, state, leaseMs);
    },
  };
  const open = async (copy = COPY) => {
    const since = { monotonic: clock.elapsed(), wall: clock.now() };
    const taken = await shared.take("k", copy, 10_000);
    if (taken === undefined) throw new Error("It is not free.");
    const renew = async () => {
      throw new Error("away");
    };
    const lease = new Lease({
      ...{ key: "k", taken, since, clock, renew },
      leaseMs: 10_000,
      label: "memory",
    });
    return { lease, store: new SharedCursorStore({ shared: link, lease }) };
  };
  const breaks = (broken: () => Promise<void> | void) => {
    fault = broken;
  };
  return { clock, shared, writes, open, breaks, ...(await open()) };
}

describe("SharedCursorStore", () => {
  it("has the state that was saved last, by the copy before or by itself", async () => {
    const { store, open } = await world();
    should(await store.load()).equal(undefined);
    await store.save(stateAt(3), "now");
    should(await store.load()).eql(stateAt(3));
    const next = await open();
    should(await next.store.load()).eql(stateAt(3));
  });

  it("writes at most once a second what can wait, the newest, and the rest when it is closed", async () => {
    const { clock, store, writes } = await world();
    await store.save(stateAt(1), "now");
    for (let cursor = 2; cursor <= 30; cursor += 1) {
      await store.save(stateAt(cursor));
      await clock.pass(100);
    }
    should(writes).eql([
      [1, 0],
      [11, 1_000],
      [21, 2_000],
    ]);
    await store.close();
    should(writes.at(-1)).eql([30, 2_900]);
    await clock.pass(5_000);
    should(writes.length).equal(4);
  });

  it("renews the lease with each write", async () => {
    const { clock, store, lease } = await world();
    await clock.pass(6_000);
    await store.save(stateAt(1), "now");
    should(lease.remainingMs()).equal(9_000);
    await clock.pass(6_000);
    should(lease.isSure).equal(true);
  });

  it("changes nothing when another copy has the lease, and throws CONSUMER_MOVED from then on", async () => {
    const { clock, shared, store, lease, writes } = await world();
    await store.save(stateAt(1), "now");
    await clock.pass(8_999);
    await shared.release("k", lease.epoch);
    await shared.take("k", OTHER, 10_000);
    await should(store.save(stateAt(2), "now")).be.rejectedWith({ code: "CONSUMER_MOVED" });
    should(lease.over.aborted).equal(true);
    await should(store.save(stateAt(3))).be.rejectedWith({ code: "CONSUMER_MOVED" });
    await store.close();
    should(writes.map(([cursor]) => cursor)).eql([1, 2]);
    should(await store.load()).eql(stateAt(1));
  });

  it("finds out by a write that could wait, too", async () => {
    const { clock, shared, store, lease } = await world();
    await shared.release("k", lease.epoch);
    await store.save(stateAt(1));
    await clock.pass(10);
    should(lease.over.aborted).equal(true);
  });

  it("writes again what could not be written, and says so where it cannot wait", async () => {
    const { clock, store, writes, breaks } = await world();
    breaks(() => {
      throw new CrecError("SHARED_STATE_UNREACHABLE", "away", { retryable: true });
    });
    await store.save(stateAt(1));
    await clock.pass(10);
    await should(store.close()).be.rejectedWith({ code: "SHARED_STATE_UNREACHABLE" });
    breaks(() => {});
    await store.close();
    should(writes.map(([cursor]) => cursor)).eql([1, 1, 1]);
    should(await store.load()).eql(stateAt(1));
  });

  it("does not send a state while an older one is on its way, and does not wait for one when the lease is over", async () => {
    const { clock, store, lease, writes, breaks } = await world();
    breaks(() => new Promise(() => {}));
    const first = store.save(stateAt(1), "now");
    await clock.pass(10);
    const second = store.save(stateAt(2), "now");
    await clock.pass(1_000);
    should(writes.map(([cursor]) => cursor)).eql([1]);
    lease.end(new CrecError("CONSUMER_MOVED", "over"));
    await should(first).be.rejectedWith({ code: "CONSUMER_MOVED" });
    await should(second).be.rejectedWith({ code: "CONSUMER_MOVED" });
    await store.close();
  });
});
