import { randomUUID } from "node:crypto";
import should from "should";
import {
  type Copy,
  CrecError,
  type CursorState,
  type OnceMark,
  RECORD_LIMITS,
  type RecordWrite,
  type SharedState,
  type TakenLease,
} from "../../src/index.ts";
import { eventually } from "../support/eventually.ts";

/** Opens the shared state as one copy; another call opens it as another copy. */
export type Open = (namespace?: string) => Promise<SharedState>;

export const A: Copy = { id: "id-a", name: "pod-a" };
export const B: Copy = { id: "id-b", name: "pod-b" };

/** Longer than any test. */
export const LONG_MS = 600_000;

const IDENTITY = { consumer: "alerts", channelId: "channel-1", service: "https://service.example" };

export function stateAt(cursor: number, delivered: CursorState["delivered"] = []): CursorState {
  return { version: 1, identity: IDENTITY, cursor, floor: -1, handedOut: cursor, delivered };
}

/** Only the clock of the engine says when a lease is over. */
export function takenOnceOver(shared: SharedState, key: string, copy: Copy): Promise<TakenLease> {
  return eventually(`the lease of ${key} to be over`, () => shared.take(key, copy, LONG_MS), { pauseMs: 5 });
}

/** Waits until so much time has passed by the clock of the engine: what began before has lasted longer than that. */
export async function passed(shared: SharedState, ms: number): Promise<void> {
  const key = `clock ${randomUUID()}`;
  await shared.take(key, A, ms);
  await takenOnceOver(shared, key, B);
}

/** Waits until the time in milliseconds is another one: epochs are times where they can be. */
export async function pastTime(ms: number): Promise<void> {
  await eventually(
    "a later time",
    () => Date.now(),
    (now) => now > ms,
  );
}

export async function taken(shared: SharedState, key: string, copy: Copy): Promise<TakenLease> {
  const lease = await shared.take(key, copy, LONG_MS);
  if (lease === undefined) throw new Error(`The lease of ${key} was not free.`);
  return lease;
}

/** What every shared state does. To be called within a `describe`. */
export function behaviour(open: Open): void {
  let first: SharedState;
  let second: SharedState;
  /** Another one for each test. */
  let key: string;
  let tests = 0;

  before(async () => {
    [first, second] = [await open(), await open()];
  });
  beforeEach(() => {
    tests += 1;
    key = `key ${tests}`;
  });
  after(async () => {
    await first?.close();
    await second?.close();
  });

  describe("a lease", () => {
    it("is taken by one copy, without a state at first", async () => {
      should((await first.take(key, A, LONG_MS))?.state).be.undefined();
      should(await second.take(key, B, LONG_MS)).be.undefined();
    });

    it("tells the epoch that it replaces, if there was one", async () => {
      const lease = await taken(first, key, A);
      should(lease.replaced).be.undefined();
      should((await taken(second, key, A)).replaced).equal(lease.epoch);
    });

    it("is taken again by the copy that has it, with a higher epoch", async () => {
      const { epoch } = await taken(first, key, A);
      should((await taken(second, key, A)).epoch).be.above(epoch);
      should(await first.save(key, epoch, stateAt(1), LONG_MS)).be.false();
    });

    it("is taken by another copy once it is over, with what was saved last", async () => {
      const lease = await first.take(key, A, LONG_MS);
      await first.save(key, lease?.epoch ?? 0, stateAt(7), 20);
      const next = await takenOnceOver(second, key, B);
      should(next.epoch).be.above(lease?.epoch ?? 0);
      should(next.state).deepEqual(stateAt(7));
      should(await first.save(key, lease?.epoch ?? 0, stateAt(8), LONG_MS)).be.false();
      should((await taken(second, key, B)).state).deepEqual(stateAt(7));
    });

    it("is renewed by saving", async () => {
      const lease = await first.take(key, A, 50);
      should(await first.save(key, lease?.epoch ?? 0, stateAt(1), LONG_MS)).be.true();
      await passed(first, 60);
      should(await second.take(key, B, LONG_MS)).be.undefined();
    });

    it("may be over when it is saved, as long as no other copy took it", async () => {
      const lease = await first.take(key, A, 1);
      await passed(first, 5);
      should(await first.save(key, lease?.epoch ?? 0, stateAt(3), LONG_MS)).be.true();
      should(await second.take(key, B, LONG_MS)).be.undefined();
    });

    it("is free after a release, with its state and a rising epoch", async () => {
      const { epoch } = await taken(first, key, A);
      should(await first.release(key, epoch, stateAt(4))).be.true();
      should(await first.release(key, epoch)).be.false();
      should(await first.save(key, epoch, stateAt(5), LONG_MS)).be.false();
      const next = await taken(second, key, B);
      should(next.state).deepEqual(stateAt(4));
      should(next.epoch).be.above(epoch);
      should(await second.release(key, next.epoch)).be.true();
      should((await taken(first, key, A)).state).deepEqual(stateAt(4));
    });

    it("is not released with an earlier epoch", async () => {
      const { epoch } = await taken(first, key, A);
      const next = await taken(first, key, A);
      should(await first.release(key, epoch, stateAt(9))).be.false();
      should(await second.take(key, B, LONG_MS)).be.undefined();
      should(await first.save(key, next.epoch, stateAt(1), LONG_MS)).be.true();
    });

    it("has any key, and none is that of another", async () => {
      const long = "k".repeat(5_000);
      const keys = [
        `${key}"'{}:\\`,
        `${key} ключ 🔑`,
        `${key}\0`,
        `${key}\n`,
        `${key}${long}`,
        `${key}${long}1`,
      ];
      // Halves of characters are no text that a database stores.
      keys.push(`${key}\ud800`, `${key}\ud801`);
      for (const [index, one] of keys.entries()) {
        const { epoch } = await taken(first, one, A);
        should(await first.save(one, epoch, stateAt(index), LONG_MS)).be.true();
      }
      for (const [index, one] of keys.entries()) {
        should((await taken(first, one, A)).state?.cursor).equal(index);
      }
    });

    it("keeps a state as it is, whatever text is in it", async () => {
      const odd = stateAt(1, [[1, "\0 \ud800 \\u0000 'quotes' \"too\" ключ 🔑"]]);
      const { epoch } = await taken(first, key, A);
      await first.save(key, epoch, odd, LONG_MS);
      should((await taken(second, key, A)).state).deepEqual(odd);
    });

    it("keeps a state with 50,000 events", async () => {
      const delivered = Array.from({ length: 50_000 }, (_, index): [number, string] => [
        index,
        `${String(index).padStart(8, "0")}-d9cb-469f-a165-70867728950e`,
      ]);
      const { epoch } = await taken(first, key, A);
      should(await first.save(key, epoch, stateAt(50_000, delivered), LONG_MS)).be.true();
      const { state } = await taken(second, key, A);
      should(state?.delivered.length).equal(50_000);
      should(JSON.stringify(state)).equal(JSON.stringify(stateAt(50_000, delivered)));
    });

    it("is taken by one of several copies that try at once", async () => {
      const copies = Array.from({ length: 8 }, (_, index) => ({ id: `racer ${index}`, name: "" }));
      // The first rounds also open connections, one after another.
      for (let round = 0; round < 10; round += 1) {
        const tries = copies.map((copy, index) =>
          (index % 2 ? first : second).take(`${key} ${round}`, copy, LONG_MS),
        );
        should((await Promise.all(tries)).filter(Boolean)).have.length(1);
      }
    });
  });

  describe("a mark", () => {
    const mark = (more: Partial<OnceMark> = {}): OnceMark => ({
      scope: key,
      key: "event",
      ttlMs: LONG_MS,
      ...more,
    });

    it("is new once, for all copies, in its scope", async () => {
      should(await first.once(mark())).equal("new");
      should(await second.once(mark())).equal("seen");
      should(await second.once(mark({ key: "another" }))).equal("new");
      should(await second.once(mark({ scope: `${key} too` }))).equal("new");
    });

    it("is new for one of several that ask at once", async () => {
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          (index % 2 ? first : second).once(mark({ key: `${index % 10}` })),
        ),
      );
      should(answers.filter((answer) => answer === "new")).have.length(10);
    });

    it("does not mix up a scope and a key", async () => {
      should(await first.once(mark({ scope: `${key}:a`, key: "b" }))).equal("new");
      should(await first.once(mark({ scope: key, key: "a:b" }))).equal("new");
      should(await first.once(mark({ scope: `${key}:a:b`, key: "" }))).equal("new");
    });

    it("is forgotten after its time, which begins anew each time it is seen", async () => {
      should(await first.once(mark({ ttlMs: 40 }))).equal("new");
      await first.once(mark());
      await passed(first, 50);
      should(await first.once(mark({ ttlMs: 1 }))).equal("seen");
      await passed(first, 5);
      should(await first.once(mark())).equal("new");
    });

    it("is new again for the delivery it first came with, where that is redelivered", async () => {
      const delivery = (id: string, redelivered: boolean) => mark({ delivery: { id, redelivered } });
      should(await first.once(delivery("1", false))).equal("new");
      should(await first.once(delivery("1", false))).equal("seen");
      should(await second.once(delivery("1", true))).equal("new");
      should(await second.once(delivery("2", true))).equal("seen");
      should(await second.once(delivery("1", true))).equal("new");
    });

    it("without a delivery is new for none that is redelivered", async () => {
      should(await first.once(mark())).equal("new");
      should(await first.once(mark({ delivery: { id: "", redelivered: true } }))).equal("seen");
      should(await first.once(mark({ delivery: { id: "1", redelivered: true } }))).equal("seen");
    });

    it("belongs to the delivery that comes first after its time", async () => {
      const delivery = (id: string, redelivered: boolean, ttlMs: number) =>
        mark({ ttlMs, delivery: { id, redelivered } });
      should(await first.once(delivery("1", false, 1))).equal("new");
      await passed(first, 5);
      should(await first.once(delivery("2", false, LONG_MS))).equal("new");
      should(await first.once(delivery("1", true, LONG_MS))).equal("seen");
      should(await first.once(delivery("2", true, LONG_MS))).equal("new");
    });

    it("contradicts another digest of its key, and stays that of the first", async () => {
      const by = (digest: string | undefined, redelivered = false) =>
        mark({ digest, delivery: { id: "1", redelivered } });
      should(await first.once(by("one"))).equal("new");
      should(await second.once(by("two"))).equal("contradicts");
      should(await second.once(by("two", true))).equal("contradicts");
      should(await second.once(by("one"))).equal("seen");
      should(await first.once(by(undefined))).equal("seen");
      should(await first.once(by("one", true))).equal("new");
    });

    it("without a digest, as of an earlier version, is seen whatever the digest", async () => {
      should(await first.once(mark())).equal("new");
      should(await second.once(mark({ digest: "one" }))).equal("seen");
      should(await second.once(mark({ digest: "two" }))).equal("seen");
    });

    it("marks nothing for a copy that lost the lease, or released it", async () => {
      const lease = await first.take(key, A, 1);
      await passed(first, 5);
      const fence = { key, epoch: lease?.epoch ?? 0 };
      should(await first.once(mark({ key: "in time", fence }))).equal("new");
      const next = await taken(second, key, B);
      should(await first.once(mark({ fence }))).equal("moved");
      should(await first.once(mark({ key: "in time", fence }))).equal("moved");
      const now = { key, epoch: next.epoch };
      should(await second.once(mark({ fence: now }))).equal("new");
      await second.release(key, next.epoch);
      should(await second.once(mark({ key: "late", fence: now }))).equal("moved");
      should(await second.once(mark({ fence: { key: `${key} of nobody`, epoch: 1 } }))).equal("moved");
    });
  });

  describe("a record", () => {
    const record = (more: Partial<RecordWrite> = {}): RecordWrite => ({
      scope: key,
      key: "rule",
      revision: 0,
      value: { seen: 1 },
      ttlMs: LONG_MS,
      ...more,
    });
    const written = async (more: Partial<RecordWrite> = {}): Promise<number> => {
      const revision = await first.writeRecord(record(more));
      if (revision === undefined) throw new Error("The record has another revision.");
      return revision;
    };

    it("is read by all copies as it was written", async () => {
      should(await first.readRecord(key, "rule")).be.undefined();
      const revision = await written();
      should(revision).be.above(0);
      should(await second.readRecord(key, "rule")).deepEqual({ revision, value: { seen: 1 } });
      should(await second.readRecord(`${key} too`, "rule")).be.undefined();
      should(await second.readRecord(key, "another")).be.undefined();
    });

    it("is written only with its present revision, which each write changes", async () => {
      const one = await written();
      should(await second.writeRecord(record({ value: 0 }))).be.undefined();
      const two = await written({ revision: one, value: 2 });
      should(two).be.above(one);
      should(await second.writeRecord(record({ revision: one, value: 3 }))).be.undefined();
      should(await second.writeRecord(record({ revision: two + 1, value: 3 }))).be.undefined();
      should(await second.readRecord(key, "rule")).deepEqual({ revision: two, value: 2 });
    });

    it("is removed only with its present revision, and has a higher one when it is written again", async () => {
      const one = await written();
      const two = await written({ revision: one });
      should(await second.writeRecord(record({ revision: one, value: undefined }))).be.undefined();
      should(await second.writeRecord(record({ revision: 0, value: undefined }))).be.undefined();
      should(await second.writeRecord(record({ revision: two, value: undefined }))).equal(0);
      should(await first.readRecord(key, "rule")).be.undefined();
      should(await first.writeRecord(record({ revision: two, value: undefined }))).be.undefined();
      should(await first.writeRecord(record({ value: undefined }))).equal(0);
      should(await first.writeRecord(record({ revision: two }))).be.undefined();
      should(await written()).be.above(two);
    });

    it("is forgotten after its time, which starts again with each write", async () => {
      const one = await written({ ttlMs: 500 });
      const two = await written({ revision: one });
      await passed(first, 510);
      const three = await written({ revision: two, ttlMs: 1 });
      await passed(first, 5);
      should(await second.readRecord(key, "rule")).be.undefined();
      should(await second.recordKeys(key, 10)).be.empty();
      should(await second.writeRecord(record({ revision: three }))).be.undefined();
      should(await second.writeRecord(record({ revision: three, value: undefined }))).be.undefined();
      should(await written()).be.above(three);
    });

    it("is changed by one of several copies that try at once", async () => {
      for (let round = 0; round < 10; round += 1) {
        const before = (await first.readRecord(key, "rule"))?.revision ?? 0;
        const tries = Array.from({ length: 8 }, (_, index) =>
          (index % 2 ? first : second).writeRecord(record({ revision: before, value: index })),
        );
        const answers = await Promise.all(tries);
        const winner = answers.findIndex((revision) => revision !== undefined);
        should(answers.filter((revision) => revision !== undefined)).have.length(1);
        should(await first.readRecord(key, "rule")).deepEqual({ revision: answers[winner], value: winner });
      }
    });

    it("loses no change of two copies that repeat what fails", async () => {
      const add = async (shared: SharedState): Promise<void> => {
        for (;;) {
          const { revision = 0, value = 0 } = (await shared.readRecord(key, "sum")) ?? {};
          const next = record({ key: "sum", revision, value: Number(value) + 1 });
          if ((await shared.writeRecord(next)) !== undefined) return;
        }
      };
      const each = Array.from({ length: 20 }, () => [add(first), add(second)]).flat();
      await Promise.all(each);
      should((await first.readRecord(key, "sum"))?.value).equal(40);
    });

    it("takes any key, and mixes up none", async () => {
      const long = "k".repeat(900);
      const keys = [
        "",
        "__proto__",
        "'\"\\{}:",
        "ключ 🔑",
        "a\0",
        "a\n",
        "a\ud800",
        "a\ud801",
        long,
        `${long}1`,
      ];
      for (const one of keys) await written({ key: one, value: one });
      for (const one of keys) should((await second.readRecord(key, one))?.value).equal(one);
      should((await second.recordKeys(key, 100)).sort()).deepEqual([...keys].sort());
      should(await second.recordKeys(key, 3)).have.length(3);
      for (const one of keys) {
        const { revision = 0 } = (await second.readRecord(key, one)) ?? {};
        should(await second.writeRecord(record({ key: one, revision, value: undefined }))).equal(0);
      }
      should(await first.recordKeys(key, 100)).be.empty();
    });

    it("does not mix up a scope and a key", async () => {
      await written({ scope: `${key}:a`, key: "b", value: 1 });
      await written({ scope: key, key: "a:b", value: 2 });
      should((await second.readRecord(`${key}:a`, "b"))?.value).equal(1);
      should(await second.recordKeys(`${key}:a`, 10)).deepEqual(["b"]);
      should(await second.recordKeys(key, 10)).deepEqual(["a:b"]);
    });

    it("has any JSON, up to its limit", async () => {
      const odd = { "\0 \ud800": ["\\u0000 'quotes' \"too\" ключ 🔑", null, 1e21, ""], ["__proto__"]: 1 };
      const one = await written({ value: odd });
      should(JSON.stringify((await second.readRecord(key, "rule"))?.value)).equal(JSON.stringify(odd));
      const most = "x".repeat(RECORD_LIMITS.value - 2);
      const two = await written({ revision: one, value: most });
      should(await second.readRecord(key, "rule")).deepEqual({ revision: two, value: most });
      for (const more of [{ value: `${most}x` }, { key: "k".repeat(RECORD_LIMITS.key + 1) }]) {
        const error = await first.writeRecord(record({ revision: two, ...more })).then(
          () => undefined,
          (reason) => reason,
        );
        should(error).be.instanceOf(CrecError);
        should((error as CrecError).code).equal("SHARED_RECORD_TOO_LARGE");
      }
    });
  });

  describe("members", () => {
    const present = (copy: Copy, more: object = {}) => ({
      copy,
      group: key,
      leaseMs: LONG_MS,
      held: [],
      wanted: [],
      ...more,
    });

    it("are the copies of a group that are alive", async () => {
      should((await first.members(present(B))).copies).deepEqual([B]);
      should((await second.members(present(A))).copies).deepEqual([A, B]);
      should((await first.members(present(A, { group: `${key} too` }))).copies).deepEqual([A]);
      await first.leave(B);
      should((await second.members(present(A))).copies).deepEqual([A]);
    });

    it("are no members once they said nothing for as long as their leases last", async () => {
      await first.members(present(A, { leaseMs: 1 }));
      await passed(first, 5);
      should((await second.members(present(B))).copies).deepEqual([B]);
      should((await first.members(present(A))).copies).deepEqual([A, B]);
    });

    it("renew their leases, and are told which of them they lost", async () => {
      const { epoch } = (await first.take(`${key} kept`, A, 50)) ?? { epoch: 0 };
      const lost = await first.take(`${key} lost`, A, 1);
      await passed(first, 5);
      await taken(second, `${key} lost`, B);
      const held = [
        { key: `${key} kept`, epoch },
        { key: `${key} lost`, epoch: lost?.epoch ?? 0 },
        { key: `${key} unknown`, epoch: 1 },
      ];
      should((await first.members(present(A, { held }))).lost).deepEqual([`${key} lost`, `${key} unknown`]);
      await passed(first, 60);
      should(await second.take(`${key} kept`, B, LONG_MS)).be.undefined();
    });

    it("are told who has the leases they want", async () => {
      const { epoch } = await taken(first, `${key} held`, A);
      await first.take(`${key} over`, A, 1);
      const released = await taken(first, `${key} released`, A);
      await first.release(`${key} released`, released.epoch);
      await passed(first, 10);
      const wanted = ["held", "over", "released", "unknown"].map((name) => `${key} ${name}`);
      const { holders } = await second.members(present(B, { wanted }));
      should([...holders.keys()]).deepEqual([`${key} held`]);
      const holder = holders.get(`${key} held`);
      should(holder?.copy).deepEqual(A);
      should(holder?.epoch).equal(epoch);
      should(holder?.renewedMsAgo).be.within(5, 60_000);
    });

    it("may have any name", async () => {
      const odd = { id: `${key}\0'"`, name: "ünïcode\n'\"" };
      await first.members(present(odd));
      const { copies } = await second.members(present(A));
      should(copies.map(({ name }) => name)).containEql(odd.name);
    });

    it("leave without having been there", async () => {
      await first.leave({ id: `${key} nobody`, name: "" });
    });
  });
}
