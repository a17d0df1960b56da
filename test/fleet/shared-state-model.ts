import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import should from "should";
import { type Copy, type CursorState, MemorySharedState, type SharedState } from "../../src/index.ts";
import { LONG_MS, type Open, stateAt } from "./shared-state-suite.ts";

const COPIES: readonly Copy[] = ["a", "b", "c"].map((id) => ({ id, name: `pod-${id}` }));
const RUNS = Number(process.env.SHARED_STATE_RUNS ?? 20);

/** After this, what lasts one millisecond is over by any clock. */
const OVER_MS = 4;

type Call =
  | { does: "take"; copy: number; key: number; isShort: boolean }
  | { does: "save"; lease: number; cursor: number; isShort: boolean }
  | { does: "release"; lease: number; cursor: number | undefined }
  | {
      does: "once";
      key: number;
      delivery: { id: string; redelivered: boolean } | undefined;
      lease: number | undefined;
      isShort: boolean;
    }
  | {
      does: "write";
      copy: number;
      key: number;
      revision: number | undefined;
      value: number | undefined;
      isShort: boolean;
    }
  | { does: "read"; copy: number; key: number }
  | { does: "keys"; copy: number }
  | { does: "members"; copy: number; held: number[]; wanted: number[]; isShort: boolean }
  | { does: "leave"; copy: number };

const copy = fc.nat({ max: COPIES.length - 1 });
const key = fc.nat({ max: 2 });
/** Of those that were taken, the first ones too. */
const lease = fc.nat({ max: 30 });
const isShort = fc.boolean();

const call: fc.Arbitrary<Call> = fc.oneof(
  fc.record({ does: fc.constant("take" as const), copy, key, isShort }),
  fc.record({ does: fc.constant("save" as const), lease, cursor: fc.nat(), isShort }),
  fc.record({
    does: fc.constant("release" as const),
    lease,
    cursor: fc.option(fc.nat(), { nil: undefined }),
  }),
  fc.record({
    does: fc.constant("once" as const),
    key: fc.nat({ max: 4 }),
    delivery: fc.option(fc.record({ id: fc.constantFrom("", "1", "2"), redelivered: fc.boolean() }), {
      nil: undefined,
    }),
    lease: fc.option(lease, { nil: undefined }),
    isShort,
  }),
  fc.record({
    does: fc.constant("write" as const),
    copy,
    key,
    revision: fc.option(fc.nat({ max: 5 }), { nil: undefined }),
    value: fc.option(fc.nat(), { nil: undefined }),
    isShort,
  }),
  fc.record({ does: fc.constant("read" as const), copy, key }),
  fc.record({ does: fc.constant("keys" as const), copy }),
  fc.record({
    does: fc.constant("members" as const),
    copy,
    held: fc.uniqueArray(lease, { maxLength: 3 }),
    wanted: fc.uniqueArray(key),
    isShort,
  }),
  fc.record({ does: fc.constant("leave" as const), copy }),
);

/** One shared state, and the leases that were taken and the revisions that were written in it, in this order. */
class Side {
  readonly #copies: readonly SharedState[];
  readonly #prefix: string;
  readonly leases: Array<{ key: number; epoch: number }> = [];
  /** Of records, by their keys. */
  readonly #revisions = new Map<number, number[]>();

  constructor(copies: readonly SharedState[], prefix: string) {
    this.#copies = copies;
    this.#prefix = prefix;
  }

  /** What the call answers. Epochs are told by their places among the leases. */
  async answer(call: Call): Promise<unknown> {
    const shared = this.#copies[("copy" in call ? call.copy : 0) % this.#copies.length] as SharedState;
    switch (call.does) {
      case "take": {
        const taken = await shared.take(this.#key(call.key), this.#copy(call.copy), ms(call));
        if (taken === undefined) return "held";
        const before = this.leases.filter((known) => known.key === call.key).map(({ epoch }) => epoch);
        should(taken.epoch).be.above(Math.max(0, ...before));
        this.leases.push({ key: call.key, epoch: taken.epoch });
        return taken.state?.cursor ?? "empty";
      }
      case "save": {
        const { key, epoch } = this.#lease(call.lease);
        return shared.save(this.#key(key), epoch, stateAt(call.cursor), ms(call));
      }
      case "release": {
        const { key, epoch } = this.#lease(call.lease);
        const state: CursorState[] = call.cursor === undefined ? [] : [stateAt(call.cursor)];
        return shared.release(this.#key(key), epoch, ...state);
      }
      case "once": {
        const { key, delivery } = call;
        const { lease } = call;
        const named = lease === undefined ? undefined : this.#lease(lease);
        const fence = named && { key: this.#key(named.key), epoch: named.epoch };
        return shared.once({ scope: this.#prefix, key: `${key}`, ttlMs: ms(call), delivery, fence });
      }
      case "members": {
        const named = new Map(call.held.map((one) => this.#lease(one)).map((one) => [one.key, one]));
        const held = [...named.values()].map(({ key, epoch }) => ({ key: this.#key(key), epoch }));
        const wanted = call.wanted.filter((key) => !named.has(key)).map((key) => this.#key(key));
        const group = this.#prefix;
        const presence = { copy: this.#copy(call.copy), group, leaseMs: ms(call), held, wanted };
        const { copies, lost, holders } = await shared.members(presence);
        return [copies, lost, wanted.map((key) => this.#told(key, holders.get(key)))];
      }
      case "write": {
        const known = this.#revisions.get(call.key) ?? [];
        const revision = call.revision === undefined ? 0 : (known.at(-1 - call.revision) ?? 0);
        const { key, value } = call;
        const write = { scope: this.#prefix, key: this.#key(key), revision, value, ttlMs: ms(call) };
        const written = await shared.writeRecord(write);
        if (written === undefined || written === 0) return written;
        should(written).be.above(Math.max(0, ...known));
        this.#revisions.set(key, [...known, written]);
        return "written";
      }
      case "read": {
        const found = await shared.readRecord(this.#prefix, this.#key(call.key));
        if (found === undefined) return "none";
        return [this.#revisions.get(call.key)?.indexOf(found.revision), found.value];
      }
      case "keys":
        return (await shared.recordKeys(this.#prefix, 10)).sort();
      case "leave":
        return shared.leave(this.#copy(call.copy));
    }
  }

  #told(key: string, holder: { copy: Copy; epoch: number } | undefined): unknown {
    if (holder === undefined) return "free";
    const place = this.leases.findIndex((one) => this.#key(one.key) === key && one.epoch === holder.epoch);
    return [holder.copy, place];
  }

  #key(key: number): string {
    return `${this.#prefix} ${key}`;
  }

  #copy(index: number): Copy {
    return COPIES[index] as Copy;
  }

  /** An epoch that nothing ever had, before any was taken. */
  #lease(index: number): { key: number; epoch: number } {
    return this.leases[index % Math.max(1, this.leases.length)] ?? { key: 0, epoch: 1 };
  }
}

function ms(call: { isShort: boolean }): number {
  return call.isShort ? 1 : LONG_MS;
}

/** Whatever several copies do in turn, a shared state answers like the one in memory, and epochs only rise. */
export function modelTests(open: Open): void {
  let copies: SharedState[] = [];
  let runs = 0;

  before(async () => {
    copies = await Promise.all(COPIES.map(() => open()));
  });
  after(() => Promise.all(copies.map((shared) => shared.close())));

  it("answers like the reference, whatever several copies do in turn; epochs only rise", () =>
    fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 40, size: "max" }), async (calls) => {
        runs += 1;
        const side = new Side(copies, `run ${runs}`);
        const reference = new Side([new MemorySharedState()], `run ${runs}`);
        for (const [index, call] of calls.entries()) {
          const [expected, answer] = [await reference.answer(call), await side.answer(call)];
          should(answer).deepEqual(expected, `call ${index}: ${JSON.stringify(call)}`);
          if ("isShort" in call && call.isShort) await sleep(OVER_MS);
        }
      }),
      { numRuns: RUNS, endOnFailure: true, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: true },
    ));

  it("keeps the state of the highest epoch, whatever several copies do at once", async () => {
    const saved: Array<{ epoch: number; cursor: number }> = [];
    const epochs: number[] = [];
    let cursor = 0;
    const busy = async (shared: SharedState, copy: Copy): Promise<void> => {
      for (let round = 0; round < 30; round += 1) {
        const lease = await shared.take("contested", copy, 2);
        if (lease === undefined) continue;
        epochs.push(lease.epoch);
        for (let save = 0; save < 4; save += 1) {
          cursor += 1;
          const mine = { epoch: lease.epoch, cursor };
          if (await shared.save("contested", mine.epoch, stateAt(mine.cursor), 2)) saved.push(mine);
        }
      }
    };
    await Promise.all(copies.map((shared, index) => busy(shared, COPIES[index] as Copy)));
    should(new Set(epochs).size).equal(epochs.length);
    // Those of one epoch are saved one after another, so the last of the highest epoch is what is left.
    const last = saved.reduce((best, next) => (next.epoch >= best.epoch ? next : best));
    await sleep(OVER_MS);
    const end = await copies[0]?.take("contested", COPIES[0] as Copy, LONG_MS);
    should(end?.state?.cursor).equal(last.cursor);
    should(end?.epoch).be.above(Math.max(...epochs));
  });
}
