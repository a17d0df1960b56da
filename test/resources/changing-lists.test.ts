import fc from "fast-check";
import should from "should";
import { BadResponseError } from "../../src/http/index.ts";
import { listing } from "../../src/resources/lists/pages.ts";

type Item = { channel_id: string };

/** What happens before a request: so many are created at each end, and this part of the list is archived. */
type Change = { atFront: number; atEnd: number; from: number; part: number };

type Model = {
  items: string[];
  /** The size of a page, and the largest. */
  limit: number;
  max: number;
  changes?: readonly Change[];
  /** At most so many items come in one answer, or fit into it. */
  most?: number;
  fits?: number;
};

const none: Change = { atFront: 0, atEnd: 0, from: 0, part: 0 };

/** A list of a service, which changes before each request but the first. */
function serve({ items, limit, max, changes = [], most = max, fits = max }: Model) {
  const asked: string[] = [];
  const [list, archived] = [[...items], new Set<string>()];
  let created = 0;
  const create = (count: number) => Array.from({ length: count }, () => `new ${created++}`);
  const archive = (from: number, count: number) => {
    for (const id of list.splice(from, count)) archived.add(id);
  };
  const get = async (query: object) => {
    const { offset, limit: asking = limit } = query as { offset: number; limit?: number };
    const change = asked.length === 0 ? none : (changes[asked.length - 1] ?? none);
    asked.push(`${offset}+${asking}`);
    list.unshift(...create(change.atFront));
    list.push(...create(change.atEnd));
    archive(Math.floor(change.from * list.length), Math.ceil(change.part * list.length));
    const data = list.slice(offset, offset + Math.min(asking, most)).map((channel_id) => ({ channel_id }));
    if (data.length > fits) throw new BadResponseError("RESPONSE_TOO_LARGE", "");
    return { data, has_more: list.length > offset + data.length };
  };
  const channels = (filter: { offset?: number } = {}) =>
    listing<Item>({ noun: "channel", filter: { limit, ...filter }, limits: { max, default: limit }, get });
  return { channels, asked, list, archived, archive };
}

async function idsOf(channels: AsyncIterable<Item>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { channel_id } of channels) ids.push(channel_id);
  return ids;
}

const named = (count: number) => Array.from({ length: count }, (_, at) => `${at}`);

describe("a list that changes while it is iterated", () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const change = fc.record({
    atFront: fc.oneof(fc.constant(0), fc.nat(12)),
    atEnd: fc.oneof(fc.constant(0), fc.nat(12)),
    from: fc.oneof(fc.constant(0), share),
    part: fc.oneof(fc.constant(0), share),
  });
  const models = fc
    .record({
      items: fc.nat(60).map(named),
      limit: fc.integer({ min: 1, max: 8 }),
      more: fc.nat(3),
      changes: fc.array(change, { maxLength: 30 }),
      most: fc.option(fc.integer({ min: 2, max: 8 }), { nil: undefined }),
      fits: fc.option(fc.integer({ min: 2, max: 8 }), { nil: undefined }),
    })
    .map(({ more, ...model }) => ({ ...model, max: Math.max(2, model.limit + more) }));

  it("gives what stays in it exactly once, in order, and the rest at most once", () =>
    fc.assert(
      fc.asyncProperty(models, fc.nat(10), async (model, offset) => {
        const { most = model.max, fits = model.max, changes, ...rest } = model;
        // What is created or archived before `offset` moves items over it.
        const behind = offset === 0 ? changes : changes.map(({ atEnd }) => ({ ...none, atEnd }));
        const { channels, archived } = serve({ ...rest, changes: behind, most, fits });
        const ids = await idsOf(channels({ offset }));
        should(new Set(ids).size).equal(ids.length);
        const stayed = model.items.slice(offset).filter((id) => !archived.has(id));
        should(ids.filter((id) => stayed.includes(id))).eql(stayed);
      }),
      { numRuns: 1_000 },
    ));

  it("is a page of at most so many items as were asked for, awaited, where these do not fit into one answer", () =>
    fc.assert(
      fc.asyncProperty(models, async (model) => {
        const { most = model.max, ...rest } = model;
        const { channels, list } = serve({ ...rest, most, fits: 2 });
        const page = await channels();
        const ids = new Set(page.data.map(({ channel_id }) => channel_id));
        should(ids.size).equal(page.data.length).and.belowOrEqual(model.limit);
        if (page.data.some(({ channel_id }) => channel_id === list.at(-1))) return;
        should(page.has_more || list.length === 0).be.true();
      }),
    ));

  it("is read without a further request where it does not change", () =>
    fc.assert(
      fc.asyncProperty(fc.nat(60), fc.integer({ min: 1, max: 8 }), async (count, limit) => {
        const below = serve({ items: named(count), limit, max: limit + 1 });
        should(await idsOf(below.channels())).eql(named(count));
        should(below.asked).have.length(Math.max(1, Math.ceil(count / limit)));
        // Pages of the largest size have one item in common.
        if (limit === 1) return;
        const largest = serve({ items: named(count), limit, max: limit });
        should(await idsOf(largest.channels())).eql(named(count));
        should(largest.asked).have.length(Math.max(1, Math.ceil((count - 1) / (limit - 1))));
      }),
    ));

  it("gives all of them to who archives each, in at most two requests a page", async () => {
    const { channels, archive, list, asked } = serve({ items: named(130), limit: 20, max: 50 });
    const ids: string[] = [];
    for await (const { channel_id } of channels()) {
      ids.push(channel_id);
      archive(list.indexOf(channel_id), 1);
    }
    should(ids).eql(named(130));
    should(asked.length).be.belowOrEqual(14);
  });

  it("is found again in few requests after most of what was read is archived", async () => {
    const { channels, archive, asked } = serve({ items: named(10_000), limit: 20, max: 50 });
    const ids: string[] = [];
    for await (const { channel_id } of channels()) {
      ids.push(channel_id);
      if (ids.length === 9_000) archive(10, 8_980);
    }
    should(ids).eql(named(10_000));
    should(asked.length).be.belowOrEqual(10_000 / 20 + 20);
  });

  it("is read to its end, once, where a service has its own way with pages", async () => {
    const ways: Record<string, (offset: number, limit: number) => [from: number, to: number]> = {
      "rounds offsets to whole pages": (offset, limit) => [offset - (offset % limit), limit],
      "sends one item at a time": (offset) => [offset, 1],
      "ignores the offset": () => [0, 100],
    };
    for (const [way, placed] of Object.entries(ways)) {
      let asked = 0;
      const get = async (query: object) => {
        const { offset, limit = 20 } = query as { offset: number; limit?: number };
        const [from, count] = placed(offset, limit);
        asked += 1;
        should(asked).be.below(200);
        const data = named(100).slice(from, from + count);
        // One that always promises more would be read without an end.
        return { data: data.map((channel_id) => ({ channel_id })), has_more: true };
      };
      const limits = { max: 50, default: 20 };
      const ids = await idsOf(listing<Item>({ noun: "channel", filter: {}, limits, get }));
      should(ids).eql(named(100), way);
    }
  });
});
