import fc from "fast-check";
import should from "should";
import type { EventPage, EventType, OperationStatus } from "../../src/protocol/index.ts";
import type { EventFilter } from "../src/store/events.ts";
import { Store } from "../src/store/store.ts";
import { Yielder } from "../src/store/yielder.ts";
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
const FOUND = ["address", "service", "event_name"];
const LISTS = ["chain_selector", "status", "address", "service"];
type Known = { offset: number; type: string; created: number; values: Record<string, string> };

/** Between many events and few, times that go back, and runs in which one value comes alone. */
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
/** A few filters at a time: with more of them hardly anything is found. */
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

describe("searches of the local service", function () {
  this.timeout(120_000);

  it("find what a look at each event finds, in its order, however they are cut into slices", async () => {
    const page = { limit: fc.integer({ min: 1, max: 60 }), offset: fc.integer({ min: 0, max: 300 }) };
    const questions = fc.array(
      fc.record({ filter: filters, hidden: fc.boolean(), ...page, sliceMs: fc.constantFrom(0, 5) }),
      { minLength: 6, maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(knownEvents, questions, async (known, asked) => {
        await withStore(known, async (stores, channelId) => {
          for (const { filter, hidden, limit, offset, sliceMs } of asked) {
            const isHidden = (_: string, at: number) => hidden && at % 3 === 0;
            const all = known.filter((event) => meets(event, filter) && !isHidden("", event.offset));
            const found = await stores(sliceMs).events.search(channelId, filter, { limit, offset, isHidden });
            should(shown(found)).eql({
              offsets: all.slice(offset, offset + limit).map((event) => event.offset),
              has_more: all.length > offset + limit,
            });
          }
        });
      }),
      { numRuns: 25 },
    );
  });

  it("of a type, from an offset or from the newest on, are pages of the same events", async () => {
    const questions = fc.array(
      fc.record({
        type: fc.option(fc.constantFrom<string>(...TYPES), { nil: undefined }),
        offset: fc.option(fc.integer({ min: 0, max: 800 }), { nil: undefined }),
        limit: fc.integer({ min: 1, max: 200 }),
        hidden: fc.boolean(),
      }),
      { minLength: 6, maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(knownEvents, questions, async (known, asked) => {
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
            should(shown(found)).eql({
              offsets: all.slice(0, limit).map((event) => event.offset),
              has_more: all.length > limit,
            });
          }
        });
      }),
      { numRuns: 15 },
    );
  });

  it("find of lists what a look at each row finds, newest first", async () => {
    const drawn = fc.record({
      status: fc.constantFrom("accepted", "sent", "failed", "confirmed"),
      walletId: fc.constantFrom("w1", "w2"),
      here: fc.boolean(),
      one: fc.boolean(),
    });
    const question = fc.record({
      status: fc.option(fc.subarray(["accepted", "sent", "failed", "expired"]), { nil: undefined }),
      walletId: fc.option(fc.constantFrom("w1", "w2", "w3"), { nil: undefined }),
      subject: fc.option(fc.constantFrom("one", "other"), { nil: undefined }),
      limit: fc.integer({ min: 1, max: 30 }),
      offset: fc.integer({ min: 0, max: 60 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(drawn, { maxLength: 120, size: "max" }),
        fc.array(question, { minLength: 6, maxLength: 6 }),
        async (rows, asked) => {
          await withStore([], async (stores, channelId) => {
            const { operations } = stores(0);
            for (const [index, { status, walletId, here, one }] of rows.entries()) {
              createOperation(operations, {
                ...{ id: index, channelId: here ? channelId : "elsewhere", walletId },
                ...{ status: status as OperationStatus, subject: one ? "one" : "other" },
              });
            }
            for (const { status, walletId, subject, limit, offset } of asked) {
              const all = [...rows.entries()]
                .reverse()
                .filter(
                  ([, row]) =>
                    row.here &&
                    (status === undefined || status.length === 0 || status.includes(row.status)) &&
                    (walletId === undefined || row.walletId === walletId) &&
                    (subject === undefined || row.one === (subject === "one")),
                );
              const found = await operations.list({
                ...withoutUndefined({ status, walletId }),
                ...{ channelId, limit, offset },
                subjects: { "initiator ->> '$.subject_id'": subject },
              });
              should({ ...found, data: found.data.map(({ operation_id }) => operation_id) }).eql({
                data: all.slice(offset, offset + limit).map(([index]) => String(index)),
                has_more: all.length > offset + limit,
              });
            }
          });
        },
      ),
      { numRuns: 12 },
    );
  });

  for (const status of [undefined, ["accepted", "confirmed"]]) {
    const asked = status === undefined ? "without a status" : "of several statuses";
    it(`find each row of a list ${asked} once, over all pages, while it changes its status between slices`, async () => {
      await withOperations(60, async (operations, channelId) => {
        const found: string[] = [];
        for (let offset = 0, more = true; more; offset += 7) {
          const page = operations.list({ channelId, limit: 7, offset, ...(status && { status }) });
          const { data, has_more } = await meanwhile(page, (turn) => {
            if (turn < 60) operations.setStatus(String((turn * 7) % 60), "confirmed");
          });
          found.push(...data.map(({ operation_id }) => operation_id));
          more = has_more;
          for (let id = 0; id < 60; id += 1) operations.setStatus(String(id), "accepted");
        }
        should(found).eql(Array.from({ length: 60 }, (_, index) => String(59 - index)));
      });
    });
  }

  it("give full pages of a list as long as there is more, while rows leave it between slices", async () => {
    await withOperations(60, async (operations, channelId) => {
      for (const limit of [1, 5]) {
        const page = operations.list({ channelId, limit, offset: 0, status: ["accepted"] });
        const left = limit === 1 ? 0 : 30;
        const { data, has_more } = await meanwhile(page, (turn) => {
          if (turn < 10) operations.setStatus(String(59 - left - turn), "sending");
        });
        should(data).have.length(limit);
        should(has_more).be.true();
        should(data.every((operation) => operation.status === "accepted")).be.true();
      }
    });
  });

  it("leave the process to others between slices, and end when nobody waits any more", async () => {
    const known = Array.from({ length: 400 }, (_, index) => {
      const values = { [index % 2 === 0 ? "event_name" : "service"]: "x" };
      return { offset: index + 1, type: "watcher.event", created: 1_000, values };
    });
    await withStore(known, async (stores, channelId) => {
      const store = stores(0);
      let turns = 0;
      let isOver = false;
      const count = () => {
        turns += 1;
        if (!isOver) setImmediate(count);
      };
      setImmediate(count);
      const filter = { event_name: "x", service: ["x"] };
      const search = store.events.search(channelId, filter, { limit: 1, offset: 0 });
      await Promise.all([search, store.events.search(channelId, filter, { limit: 1, offset: 0 })]);
      // One slice a turn for all searches together: each of the two needs its own.
      should(turns).be.above(400);
      turns = 0;
      const options = { limit: 1, offset: 0, isAbandoned: () => true };
      should(shown(await store.events.search(channelId, filter, options)).offsets).be.empty();
      should(turns).be.below(10);
      isOver = true;
    });
  });

  it("put pages together that are larger than what is read at once", async () => {
    await withLargeEvents(async (events, channelId) => {
      for (const [offset, expected] of [[1, "äbcd"] as const, [undefined, "dcbä"] as const]) {
        const page = JSON.parse(
          (await events.poll(channelId, { ...(offset && { offset }), limit: 9 })).toString(),
        ) as EventPage;
        should(page.events.map(({ payload }) => String(Object(payload).text)[0]).join("")).equal(expected);
        should(page.has_more).be.false();
      }
    });
  });

  it("read no further in a large page when nobody waits any more", async () => {
    await withLargeEvents(async (events, channelId) => {
      let isFound = false;
      const page = await events.poll(channelId, {
        ...{ offset: 1, limit: 9 },
        // The last one: then all are found, and none is read.
        isHidden: (_, offset) => {
          isFound = offset === 4;
          return false;
        },
        isAbandoned: () => isFound,
      });
      should(shown(page).offsets).be.empty();
    });
  });
});

/** A page of four events that are larger together than what is read at once, in slices that end at once. */
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

function createOperation(
  operations: Store["operations"],
  of: { id: number; channelId: string; walletId?: string; status?: OperationStatus; subject?: string },
): void {
  const { id, channelId, walletId = "w1", status = "accepted", subject = "one" } = of;
  operations.create({
    ...{
      operation_id: `${id}`,
      channelId,
      walletId,
      status,
      chain_selector: "1",
      address: "0x",
      deadline: 0,
    },
    ...{ wallet_operation_id: `${id}`, transactions: [], signature: null, digest: "0x" },
    initiator: { subject_type: "user", subject_id: subject },
  });
}

/** So many accepted operations of a channel, in a store whose slices end at once. */
async function withOperations(
  count: number,
  use: (operations: Store["operations"], channelId: string) => Promise<void>,
): Promise<void> {
  await withStore([], async (stores, channelId) => {
    const { operations } = stores(0);
    for (let index = 0; index < count; index += 1) createOperation(operations, { id: index, channelId });
    await use(operations, channelId);
  });
}

/** What is awaited, with work in each turn of the event loop until then. */
async function meanwhile<T>(awaited: Promise<T>, work: (turn: number) => void): Promise<T> {
  let isOver = false;
  const run = async () => {
    for (let turn = 0; !isOver; turn += 1) {
      work(turn);
      await new Promise(setImmediate);
    }
  };
  const end = awaited.finally(() => {
    isOver = true;
  });
  const [result] = await Promise.all([end, run()]);
  return result;
}

/** A store with these events; with slices of so many milliseconds. */
async function withStore(
  known: readonly Known[],
  use: (stores: (sliceMs: number) => Store, channelId: string) => Promise<void>,
): Promise<void> {
  const folder = temporaryFolder();
  const realNow = Date.now;
  let store = new Store(folder.path);
  let slice: number | undefined;
  try {
    const { channel_id: channelId } = store.channels.create({ name: "searched" });
    const { channel_id: otherId } = store.channels.create({ name: "another" });
    store.transaction(() => {
      for (const { type, created, values } of known) {
        Date.now = () => created * 1000;
        const entries = Object.entries(values);
        const event = {
          type: type as EventType,
          payload: Object.fromEntries(entries.filter(([kind]) => !FOUND.includes(kind))),
          found: Object.fromEntries(entries.filter(([kind]) => FOUND.includes(kind))),
        };
        store.events.append({ ...event, channelId });
        store.events.append({ ...event, channelId: otherId });
      }
    });
    Date.now = realNow;
    await use((sliceMs) => {
      if (slice === sliceMs) return store;
      store.close();
      store = new Store(folder.path, { yielder: new Yielder(sliceMs) });
      slice = sliceMs;
      return store;
    }, channelId);
  } finally {
    Date.now = realNow;
    store.close();
    folder.dispose();
  }
}

/** What a search has to find, without any index. */
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

function shown(page: Buffer): { offsets: number[]; has_more: boolean } {
  const { events, has_more } = JSON.parse(page.toString()) as EventPage;
  return { offsets: events.map(({ headers }) => headers.offset), has_more };
}

function withoutUndefined<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
