import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import should from "should";
import type { EventPage, EventType } from "../../src/protocol/index.ts";
import { sized } from "../../test/support/variants.ts";
import { describeWide } from "../../test/support/wide.ts";
import type { EventFilter } from "../src/store/events/events.ts";
import { bytesOf, type StoredPage } from "../src/store/events/pages.ts";
import { BLOCK } from "../src/store/events/places.ts";
import { Store } from "../src/store/store.ts";
import { Yielder } from "../src/store/yielder.ts";
import { type Known, shown, withoutUndefined, withStore } from "./searched-store.ts";
import { temporaryFolder } from "./support.ts";

const EVENTS = 700;
const TYPES = ["watcher.event", "watcher.status", "operation.status", "query.status"] as const;
const VALUES = {
  chain_selector: ["1", "2"],
  status: ["active", "sent", "confirmed"],
  address: [`0x${"aB".repeat(20)}`, `0x${"cD".repeat(20)}`],
  service: ["erc20", "sensor"],
  watcher_id: ["w1", "w2", "w3"],
  wallet_id: ["a1"],
  operation_id: ["o1", "o2"],
  wallet_operation_id: ["7", "8"],
  query_id: ["q1"],
  event_name: ["Transfer", "Approval"],
} as const;
const LISTS = ["chain_selector", "status", "address", "service"];

/** Few or many events, with times that go back and runs of one value. */
const knownEvents: fc.Arbitrary<Known[]> = fc
  .array(
    fc.record({
      type: fc.constantFrom<EventType>(...TYPES),
      seconds: fc.oneof(
        { weight: 9, arbitrary: fc.integer({ min: 0, max: 2 }) },
        { weight: 1, arbitrary: fc.integer({ min: -200, max: 100 }) },
      ),
      run: fc.constantFrom(1, 1, 1, 40),
      values: fc.record(
        Object.fromEntries(
          Object.entries(VALUES).map(([kind, values]) => [kind, fc.constantFrom(...values)]),
        ),
        { requiredKeys: [] },
      ),
    }),
    { minLength: 1, maxLength: 90, size: "max" },
  )
  .map((drawn) => {
    let created = 1_000;
    return drawn
      .flatMap((one) => Array.from({ length: one.run }, () => one))
      .slice(0, EVENTS)
      .map(({ type, seconds, values }, index) => {
        created = Math.max(created + seconds, 1);
        return { offset: index + 1, type, created, values: values as Record<string, string> };
      });
  });

const early = fc.integer({ min: 950, max: 1_300 });
const late = fc.integer({ min: 1_100, max: 1_600 });
const some = (values: readonly string[]) =>
  fc.subarray([...values, "nowhere"], { minLength: 1 }).map((list) => [...list, ...list.slice(0, 1)]);
const KINDS = ["type", "created", ...Object.keys(VALUES)] as const;
/** A few filters at a time: more of them find hardly anything. */
const filters: fc.Arbitrary<EventFilter> = fc
  .tuple(
    fc.record({
      type: some(TYPES),
      created: fc.record({ gt: early, gte: early, lt: late, lte: late }, { requiredKeys: [] }),
      ...Object.fromEntries(
        Object.entries(VALUES).map(([kind, values]) => [
          kind,
          LISTS.includes(kind) ? some(values) : fc.constantFrom(...values, "nowhere"),
        ]),
      ),
    }),
    fc.oneof(fc.constant<string[]>(["created"]), fc.subarray([...KINDS], { maxLength: 3 })),
  )
  .map(([all, kinds]) => Object.fromEntries(Object.entries(all).filter(([kind]) => kinds.includes(kind))));

/** The same in more than two blocks: each event many times. */
const MANY = 2 * BLOCK + 300;
const manyEvents = knownEvents.map((known) =>
  Array.from({ length: MANY }, (_, index): Known => {
    const event = known[Math.floor((index * known.length) / MANY)];
    return { ...(event as Known), offset: index + 1 };
  }),
);

type Search = { filter: EventFilter; hidden: boolean; limit: number; offset: number; sliceMs: number };
const searches = (maxOffset: number): fc.Arbitrary<Search[]> =>
  fc.array(
    fc.record({
      filter: filters,
      hidden: fc.boolean(),
      limit: fc.integer({ min: 1, max: 60 }),
      offset: fc.integer({ min: 0, max: maxOffset }),
      sliceMs: fc.constantFrom(0, 5),
    }),
    { minLength: 6, maxLength: 6 },
  );

type Poll = { type: string | undefined; offset: number | undefined; limit: number; hidden: boolean };
const polls = (maxOffset: number): fc.Arbitrary<Poll[]> =>
  fc.array(
    fc.record({
      type: fc.option(fc.constantFrom<string>(...TYPES), { nil: undefined }),
      offset: fc.option(fc.integer({ min: 0, max: maxOffset }), { nil: undefined }),
      limit: fc.integer({ min: 1, max: 200 }),
      hidden: fc.boolean(),
    }),
    { minLength: 6, maxLength: 6 },
  );

describe("searches of the local service", function () {
  this.timeout(300_000);

  it("find the same events as a full scan, in order, with any size of slice", () =>
    fc.assert(fc.asyncProperty(knownEvents, searches(300), searchesAgree), { numRuns: 25 }));

  it("of one type return the same events as a full scan, from an offset and from the newest", () =>
    fc.assert(fc.asyncProperty(knownEvents, polls(800), pollsAgree), { numRuns: 15 }));

  it("find events on both sides of a block's border", async () => {
    const at = [1, BLOCK - 2, BLOCK - 1, BLOCK, BLOCK + 1];
    const known = Array.from({ length: BLOCK + 2 }, (_, index): Known => {
      const isFound = at.includes(index + 1);
      const type = isFound ? "watcher.status" : "watcher.event";
      // The clock was set back at the border.
      return { offset: index + 1, type, created: index < BLOCK - 1 ? 1_100 + index : index, values: {} };
    });
    const search = { hidden: false, limit: 60, sliceMs: 5 };
    const type = ["watcher.status"];
    const range = { gte: 1_100, lt: 1_100 + BLOCK };
    await searchesAgree(known, [
      { filter: { type }, offset: 0, ...search },
      { filter: { type }, offset: 3, ...search },
      { filter: { type, created: range }, offset: 0, ...search },
      { filter: { created: { gte: 1_000 + BLOCK } }, offset: 0, ...search },
      { filter: { created: { lt: 1_102 + BLOCK } }, offset: BLOCK - 3, ...search },
      { filter: { type }, offset: 0, ...search, hidden: true },
      { filter: {}, offset: BLOCK - 4, ...search, hidden: true },
    ]);
    await pollsAgree(known, [
      { type: "watcher.status", offset: undefined, limit: 2, hidden: false },
      { type: "watcher.status", offset: undefined, limit: 9, hidden: true },
      { type: "watcher.status", offset: BLOCK - 1, limit: 9, hidden: false },
      { type: undefined, offset: undefined, limit: 9, hidden: true },
    ]);
  });

  describeWide("of several blocks", () => {
    it("find the same events as a full scan", () =>
      fc.assert(fc.asyncProperty(manyEvents, searches(MANY), searchesAgree), { numRuns: sized(5, 15) }));

    it("of one type return the same events as a full scan", () =>
      fc.assert(fc.asyncProperty(manyEvents, polls(MANY), pollsAgree), { numRuns: sized(4, 10) }));
  });

  it("yield between slices, and end when the caller has gone", async () => {
    await withBlocks(400, async (store, channelId) => {
      const filter = { event_name: "x", service: ["x"] };
      const search = (isAbandoned = () => false) =>
        store.events.search(channelId, filter, { limit: 1, offset: 0, isAbandoned });
      // All searches share one slice in each turn: the two of them need twice as many turns.
      should(await turnsOf(() => Promise.all([search(), search()]))).be.above(400);
      let found: StoredPage = Buffer.alloc(0);
      const turns = await turnsOf(async () => {
        found = await search(() => true);
      });
      should((await shown(found)).offsets).be.empty();
      should(turns).be.below(10);
    });
  });

  it("count what an offset leaves out, block by block", async () => {
    await withBlocks(400, async (store, channelId) => {
      const options = { limit: 1, offset: 399 * BLOCK + BLOCK - 1 };
      let found: StoredPage = Buffer.alloc(0);
      const turns = await turnsOf(async () => {
        found = await store.events.search(channelId, { type: ["watcher.event"] }, options);
      });
      should(await shown(found)).eql({ offsets: [], has_more: false });
      should(turns).be.below(500);
    });
  });

  it("return pages that are larger than one read", async () => {
    await withLargeEvents(async (events, channelId) => {
      for (const [offset, expected] of [[1, "äbcd"] as const, [undefined, "dcbä"] as const]) {
        const page = await events.poll(channelId, { ...(offset && { offset }), limit: 9 });
        const bytes = await bytesOf(page);
        const { events: found, has_more } = JSON.parse(bytes.toString()) as EventPage;
        should(found.map(({ payload }) => String(Object(payload).text)[0]).join("")).equal(expected);
        should(has_more).be.false();
        // The length is known before anything is read.
        should(Buffer.isBuffer(page) ? undefined : page.bytes).equal(bytes.length);
      }
    });
  });

  it("stop reading a large page when the caller has gone", async () => {
    await withLargeEvents(async (events, channelId) => {
      let isGone = false;
      const page = await events.poll(channelId, { offset: 1, limit: 9, isAbandoned: () => isGone });
      should(Buffer.isBuffer(page)).be.false();
      let parts = 0;
      if (!Buffer.isBuffer(page))
        for await (const _ of page.parts) {
          parts += 1;
          isGone = true;
        }
      should(parts).equal(1);
    });
  });
});

/** Compares searches with a full scan. */
async function searchesAgree(known: Known[], asked: readonly Search[]): Promise<void> {
  await withStore(known, async (stores, channelId) => {
    for (const { filter, hidden, limit, offset, sliceMs } of asked) {
      const isHidden = (_: string, at: number) => hidden && at % 3 === 0;
      const all = known.filter((event) => meets(event, filter) && !isHidden("", event.offset));
      const found = await stores(sliceMs).events.search(channelId, filter, { limit, offset, isHidden });
      should(await shown(found)).eql({
        offsets: all.slice(offset, offset + limit).map((event) => event.offset),
        has_more: all.length > offset + limit,
      });
    }
  });
}

/** Compares polls with a full scan. */
async function pollsAgree(known: Known[], asked: readonly Poll[]): Promise<void> {
  await withStore(known, async (stores, channelId) => {
    for (const { type, offset, limit, hidden } of asked) {
      const isHidden = (_: string, at: number) => hidden && at % 3 === 0;
      const all = known.filter(
        (event) =>
          (type === undefined || event.type === type) &&
          event.offset >= (offset ?? 0) &&
          !isHidden("", event.offset),
      );
      if (offset === undefined) all.reverse();
      const options = withoutUndefined({ type, offset });
      const found = await stores(0).events.poll(channelId, { ...options, limit, isHidden });
      should(await shown(found)).eql({
        offsets: all.slice(0, limit).map((event) => event.offset),
        has_more: all.length > limit,
      });
    }
  });
}

/** A page of four events that are larger together than one read, in the shortest slices. */
async function withLargeEvents(
  use: (events: Store["events"], channelId: string) => Promise<void>,
): Promise<void> {
  await withStore([], async (stores, channelId) => {
    const { events } = stores(0);
    for (const letter of ["ä", "b", "c", "d"]) {
      const payload = { status: "active", text: letter.repeat(1_500_000) };
      events.append({ channelId, type: "watcher.status", payload });
    }
    await use(events, channelId);
  });
}

/** How many turns of the event loop something takes. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}

/**
 * A channel with the index of so many full blocks, in the shortest slices. In each block two values match other events, and
 * the type matches all.
 */
async function withBlocks(
  blocks: number,
  use: (store: Store, channelId: string) => Promise<void>,
): Promise<void> {
  const folder = temporaryFolder();
  const empty = new Store(folder.path);
  const { channel_id: channelId } = empty.channels.create({ name: "blocks" });
  empty.close();
  const database = new DatabaseSync(join(folder.path, "service.sqlite"));
  database.exec(`
    UPDATE channels SET last_offset = ${blocks * BLOCK - 1};
    INSERT INTO event_values VALUES (1, '${channelId}', 'event_name', 'x'), (2, '${channelId}', 'service', 'x'),
      (3, '${channelId}', 'type', 'watcher.event');
    WITH RECURSIVE numbers (block) AS (SELECT 0 UNION ALL SELECT block + 1 FROM numbers LIMIT ${blocks})
    INSERT INTO event_blocks SELECT value_id, block, CASE value_id
        WHEN 1 THEN x'01000100' WHEN 2 THEN x'02000200' ELSE unhex(replace(hex(zeroblob(512)), '00', 'FF')) END
      FROM numbers, event_values;
    WITH RECURSIVE numbers (block) AS (SELECT 0 UNION ALL SELECT block + 1 FROM numbers LIMIT ${blocks})
    INSERT INTO event_block_times SELECT '${channelId}', block, 1, 1 FROM numbers;`);
  database.close();
  const store = new Store(folder.path, { yielder: new Yielder(0) });
  try {
    await use(store, channelId);
  } finally {
    store.close();
    folder.dispose();
  }
}

/** Whether a search has to find the event, without any index. */
function meets({ type, created, values }: Known, filter: EventFilter): boolean {
  const { gt, gte, lt, lte } = filter.created ?? {};
  if (gt !== undefined && created <= gt) return false;
  if (gte !== undefined && created < gte) return false;
  if (lt !== undefined && created >= lt) return false;
  if (lte !== undefined && created > lte) return false;
  if (filter.type !== undefined && !filter.type.includes(type)) return false;
  return Object.keys(VALUES).every((kind) => {
    const asked = filter[kind as keyof typeof VALUES];
    return asked === undefined || [asked].flat().includes(values[kind] ?? "");
  });
}
