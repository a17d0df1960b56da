import fc from "fast-check";
import should from "should";
import { MemoryAlertStore } from "../../../src/alerts/index.ts";
import { Journal, PersistentMap } from "../../../src/alerts/journal/journal.ts";
import {
  isSegment,
  readJournal,
  removeSegments,
  sealed,
} from "../../../src/alerts/journal/stored-journal.ts";

const isNumber = (value: unknown): value is number => typeof value === "number";
const steps = fc.array(
  fc.record({
    key: fc.nat(40).map(String),
    value: fc.option(fc.nat(99), { nil: undefined }),
    version: fc.nat(9),
  }),
  { maxLength: 200 },
);

describe("PersistentMap", () => {
  it("is, in each of its versions, what a map was then", () =>
    fc.assert(
      fc.property(steps, (all) => {
        const versions = [{ map: PersistentMap.of<number>(), model: new Map<string, number>() }];
        for (const { key, value, version } of all) {
          // Most often the newest one.
          const { map, model } =
            versions.at(version < 7 ? -1 : -version) ?? (versions[0] as (typeof versions)[0]);
          const next = new Map(model);
          if (value === undefined) next.delete(key);
          else next.set(key, value);
          versions.push({ map: value === undefined ? map.without(key) : map.with(key, value), model: next });
        }
        for (const { map, model } of versions.slice(-20)) {
          should(map.size).equal(model.size);
          should(new Map(map.entries())).deepEqual(model);
          should([...map.values()].sort()).deepEqual([...model.values()].sort());
          for (const key of ["0", "7", "40"]) should(map.get(key)).equal(model.get(key));
        }
      }),
      { numRuns: 100 },
    ));
});

describe("Journal", () => {
  const change = fc.record({ id: fc.nat(300).map(String), item: fc.option(fc.nat(99), { nil: undefined }) });
  const all = fc.array(fc.array(change, { minLength: 1, maxLength: 120 }), { maxLength: 30 });

  it("is the same after it is stored, whatever was read before, and leaves no segment behind", () =>
    fc.assert(
      fc.asyncProperty(all, fc.infiniteStream(fc.nat(3)), async (groups, draws) => {
        const store = new MemoryAlertStore();
        const model = new Map<string, number>();
        let journal = Journal.of<number>();
        let other = journal;
        for (const changes of groups) {
          const before = journal;
          for (const { id, item } of changes) {
            journal = item === undefined ? journal.remove(id) : journal.put(id, item);
            if (item === undefined) model.delete(id);
            else model.set(id, item);
          }
          journal = await sealed(journal, store);
          const names = new Set(journal.segments.map(([name]) => name));
          await removeSegments(
            before.segments.map(([name]) => name).filter((name) => !names.has(name)),
            store,
          );
          should((await store.keys()).filter(isSegment).sort()).deepEqual([...names].sort());
          const stored: unknown = JSON.parse(JSON.stringify(journal));
          should(journal.openCount).be.belowOrEqual(64);
          // Another copy has read it before, or not.
          const known = draws.next().value === 0 ? undefined : other;
          const read = await readJournal(stored, store, isNumber, known);
          should(new Map(read?.journal.items.entries())).deepEqual(model);
          other = read?.journal ?? other;
          if (draws.next().value === 0) journal = other;
        }
      }),
      { numRuns: 60 },
    ));

  it("writes a change of one item again and again with one item", async () => {
    let journal = Journal.of<number>();
    for (let index = 0; index < 1_000; index += 1) journal = journal.put("one", index);
    should(JSON.stringify(journal)).equal('{"open":[["one",999]]}');
  });

  it("writes few changes, and refers to few records, however many items there are", async () => {
    const store = new MemoryAlertStore();
    let journal = Journal.of<number>();
    let longest = 0;
    for (let index = 0; index < 20_000; index += 1) {
      journal = await sealed(journal.put(`${index}`, index), store);
      if (index % 50 === 0) longest = Math.max(longest, JSON.stringify(journal).length);
    }
    should(longest).be.below(3_000);
    should(journal.segments.length).be.below(24);
  });
});
