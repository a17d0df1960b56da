import fc from "fast-check";
import should from "should";
import { TooLargeError } from "../../src/paging/index.ts";
import type { CrecClient } from "../../src/resources/index.ts";
import { errorOf } from "../http/support.ts";
import { type Asked, ID, startFakeService } from "./support.ts";

const MOST_BYTES = 3_000;
const DEFAULTS: Readonly<Record<string, number>> = { events: 200, search: 50, channels: 20 };

/** Which events a page at an offset has. */
type Habit = "from" | "after" | "down to" | "below";

type World = { sizes: readonly number[]; gaps: readonly number[]; habit: Habit };

type Item = { offset: number; json: string };

/** Channels and events of these sizes, in bytes; each event some offsets above the one before it. */
function itemsOf({ sizes, gaps }: World): Item[] {
  let offset = 0;
  return sizes.map((size, index) => {
    offset += 1 + (gaps[index] ?? 0);
    const headers = { type: "watcher.event", offset, proofs: [] };
    const ids = { event_id: `e${offset}`, channel_id: `c${offset}` };
    return { offset, json: JSON.stringify({ ...ids, headers, payload: { text: "x".repeat(size) } }) };
  });
}

const isOn: Readonly<Record<Habit, (offset: number, asked: number) => boolean>> = {
  from: (offset, asked) => offset >= asked,
  after: (offset, asked) => offset > asked,
  "down to": (offset, asked) => offset <= asked,
  below: (offset, asked) => offset < asked,
};

/** What the service can show of a list, or of a channel at an offset, in its order. */
function shown(world: World, kind: string, offset: number | undefined): Item[] {
  const items = itemsOf(world);
  if (kind !== "events") return items.slice(offset);
  if (offset === undefined) return items.toReversed();
  const visible = items.filter((item) => isOn[world.habit](item.offset, offset));
  return world.habit === "from" || world.habit === "after" ? visible : visible.reverse();
}

function bodyOf(kind: string, items: readonly Item[], limit: number): string {
  const field = kind === "channels" ? "data" : "events";
  const texts = items.slice(0, limit).map(({ json }) => json);
  return `{"${field}":[${texts.join(",")}],"has_more":${items.length > limit}}`;
}

/** How many of them come one by one until one is too large for an answer. */
function fitting(kind: string, items: readonly Item[]): number {
  const bad = items.findIndex((_, index) => bodyOf(kind, items.slice(index), 1).length > MOST_BYTES);
  return bad < 0 ? items.length : bad;
}

const offsetsOf = (items: readonly Item[]) => items.map(({ offset }) => offset);
const idOffset = (id: string) => Number(id.slice(1));

describe("pages that are larger than an answer can be", () => {
  let world: World;
  /** Bytes of each answer. */
  let answers: number[] = [];
  let service: Awaited<ReturnType<typeof startFakeService>>;
  let client: CrecClient;

  before(async () => {
    const reply = ({ path, query }: Asked): [number, unknown] => {
      const kind = path.split("/").at(-1) ?? "";
      const [asked, limit] = [query.get("offset"), Number(query.get("limit") ?? DEFAULTS[kind])];
      const items = shown(world, kind, asked === null ? undefined : Number(asked));
      const body = bodyOf(kind, items, limit);
      answers.push(body.length);
      return [200, JSON.parse(body)];
    };
    service = await startFakeService(reply, { maxResponseBytes: MOST_BYTES });
    client = service.client;
  });
  after(() => service.close());
  beforeEach(() => {
    answers = [];
  });

  /** Small ones, ones of which a few fit, and some that do not fit. */
  const size = fc.oneof(
    { weight: 5, arbitrary: fc.nat(300) },
    { weight: 3, arbitrary: fc.nat(2_500) },
    { weight: 1, arbitrary: fc.integer({ min: 2_600, max: 4_000 }) },
  );
  const worlds = fc.record({
    sizes: fc.array(size, { maxLength: 40 }),
    gaps: fc.array(fc.nat(3), { maxLength: 40 }),
    habit: fc.constantFrom<Habit>("from", "after", "down to", "below"),
  });
  const places = fc.record({
    limit: fc.option(fc.integer({ min: 1, max: 50 }), { nil: undefined }),
    offset: fc.nat(20),
  });

  const ids: Readonly<Record<string, (paging: object) => AsyncGenerator<string>>> = {
    search: async function* (paging) {
      for await (const { event_id } of client.events.search(ID, paging)) yield event_id;
    },
    channels: async function* (paging) {
      for await (const { channel_id } of client.channels.list(paging)) yield channel_id;
    },
  };
  const codes: Readonly<Record<string, string>> = { search: "EVENT_TOO_LARGE", channels: "ITEM_TOO_LARGE" };

  for (const [kind, iterate] of Object.entries(ids)) {
    it(`are iterated in smaller ones, in order, each item once, up to one too large (${kind})`, () =>
      fc.assert(
        fc.asyncProperty(worlds, places, async (made, { limit, offset }) => {
          world = made;
          for (let from = offset; ; ) {
            const items = shown(world, kind, from);
            const fit = fitting(kind, items);
            const found: number[] = [];
            let error: unknown;
            try {
              for await (const id of iterate({ limit, offset: from })) found.push(idOffset(id));
            } catch (thrown) {
              error = thrown;
            }
            should(found).eql(offsetsOf(items.slice(0, fit)));
            if (fit === items.length) {
              should(error).be.undefined();
              return;
            }
            should(error)
              .be.instanceOf(TooLargeError)
              .and.match({ code: codes[kind], offset: from + fit });
            // Behind it, as the error says.
            from += fit + 1;
          }
        }),
        { numRuns: 40 },
      ));
  }

  it("are whole all the same where they are awaited", () =>
    fc.assert(
      fc.asyncProperty(worlds, places, async (made, { limit, offset }) => {
        world = made;
        const items = shown(world, "search", offset);
        const wanted = Math.min(limit ?? 50, items.length);
        const fit = fitting("search", items);
        const page = Promise.resolve(client.events.search(ID, { limit, offset }));
        if (fit < wanted) {
          const earlier =
            fit === 0
              ? /can be\. To/
              : new RegExp(`can be\\. To read the ${fit} before it, use limit ${fit}\\.`);
          should(await errorOf(page)).match({
            code: "EVENT_TOO_LARGE",
            offset: offset + fit,
            message: earlier,
          });
          return;
        }
        const { data, has_more } = await page;
        should(data.map(({ headers }) => headers.offset)).eql(offsetsOf(items.slice(0, wanted)));
        should(has_more).equal(items.length > wanted);
      }),
      { numRuns: 40 },
    ));

  it("of a channel are whole from an offset on, whichever way its pages lead", () =>
    fc.assert(
      fc.asyncProperty(worlds, places, async (made, { limit, offset }) => {
        world = made;
        const items = shown(world, "events", offset);
        const wanted = Math.min(limit ?? 200, items.length);
        const fit = fitting("events", items);
        const page = client.events.poll(ID, { limit, offset });
        if (fit < wanted) {
          const error = await errorOf(page);
          should(error).be.instanceOf(TooLargeError).and.match({ code: "EVENT_TOO_LARGE" });
          const large = items[fit]?.offset ?? 0;
          const between = [items[fit - 1]?.offset ?? offset, large].sort((a, b) => a - b);
          should(Number(error.offset)).be.within(between[0] ?? 0, between[1] ?? 0);
          if (fit > 0) {
            should(error.message).match(new RegExp(`use limit ${fit}\\.`));
            const before = await client.events.poll(ID, { limit: fit, offset });
            should(before.events).have.length(fit);
          }
          return;
        }
        const { events, has_more } = await page;
        should(events.map(({ headers }) => headers.offset)).eql(offsetsOf(items.slice(0, wanted)));
        should(has_more).equal(items.length > wanted);
      }),
      { numRuns: 80 },
    ));

  it("of the newest events have as many as fit", async () => {
    world = { sizes: Array.from({ length: 30 }, () => 500), gaps: [], habit: "from" };
    const { events, has_more } = await client.events.poll(ID, { limit: 16 });
    should(events.map(({ headers }) => headers.offset)).eql([30, 29, 28, 27]);
    should(has_more).be.true();
    world = { ...world, sizes: [100, 5_000] };
    const error = await errorOf(client.events.poll(ID, { limit: 16 }));
    should(error).match({ code: "EVENT_TOO_LARGE", offset: undefined, message: /^The newest event/ });
  });

  it("are one error with inParts: false", async () => {
    world = { sizes: [2_000, 2_000], gaps: [], habit: "from" };
    const page = client.events.poll(ID, { offset: 1 }, { inParts: false });
    should((await errorOf(page)).code).equal("RESPONSE_TOO_LARGE");
  });

  it("are seldom asked for in vain", async () => {
    world = { sizes: Array.from({ length: 600 }, () => 500), gaps: [], habit: "from" };
    let count = 0;
    for await (const _ of client.events.search(ID, { limit: 200 })) count += 1;
    should(count).equal(600);
    const inVain = answers.filter((bytes) => bytes > MOST_BYTES).length;
    should(answers.length - inVain).be.within(600 / 4, 600 / 3);
    should(inVain).be.belowOrEqual(12);
  });

  it("end immediately when the caller's signal fires between two parts", async () => {
    world = { sizes: Array.from({ length: 40 }, () => 1_000), gaps: [], habit: "from" };
    const stop = new AbortController();
    const found: string[] = [];
    const iterate = async () => {
      for await (const { event_id } of client.events.search(ID, {}, { signal: stop.signal })) {
        found.push(event_id);
        if (found.length === 5) stop.abort();
      }
    };
    should((await errorOf(iterate())).code).equal("ABORTED");
    should(found.length).be.below(10);
  });
});
