import should from "should";
import type { Json } from "../client.ts";
import { table } from "../row.ts";
import type { World } from "../world.ts";

export const { rows, row } = table();

/** A channel with more of everything than a page holds when nobody says how much. */
const crowd = (world: World) =>
  world.once("crowd", async () => {
    const channel = await world.channel();
    const path = `/channels/${channel}`;
    const times = <T>(count: number, make: () => Promise<T>) =>
      Promise.all(Array.from({ length: count }, make));
    await times(21, () => world.expect(201, "POST", `${path}/watchers`, world.newWatcher()));
    await times(21, () => world.expect(202, "POST", `${path}/queries`, world.newQuery()));
    const body = await world.newOperation();
    const drafts = await times(51, () => {
      const wallet_operation_id = String(BigInt(`0x${crypto.randomUUID().replaceAll("-", "")}`));
      return world.expect(201, "POST", `${path}/operations`, { ...body, wallet_operation_id });
    });
    for (const { operation_id } of drafts) {
      await world.expect(200, "PATCH", `${path}/operations/${operation_id}`, { status: "cancelled" });
    }
    await times(21, () => world.channel());
    await times(51, () => world.expect(201, "POST", "/wallets", world.newWallet([])));
    await world.until("all events", async () =>
      (await world.events(channel)).length >= 201 ? true : undefined,
    );
    return path;
  });

const LISTS: Array<[string, (path: string) => string, { max: number; fallback: number }, string]> = [
  ["channels", () => "/channels", { max: 50, fallback: 20 }, "data"],
  ["wallets", () => "/wallets", { max: 100, fallback: 50 }, "data"],
  ["watchers", (path) => `${path}/watchers`, { max: 50, fallback: 20 }, "data"],
  ["operations", (path) => `${path}/operations`, { max: 100, fallback: 20 }, "data"],
  ["queries", (path) => `${path}/queries`, { max: 100, fallback: 20 }, "data"],
  ["polls of events", (path) => `${path}/events`, { max: 200, fallback: 200 }, "events"],
  ["searches of events", (path) => `${path}/events/search`, { max: 200, fallback: 50 }, "events"],
];

for (const [what, pathOf, { max, fallback }, items] of LISTS) {
  row(
    "C1 C2",
    `${what} answer pages of at most ${max}, ${fallback} when nothing is said`,
    ["local"],
    async (world) => {
      const path = pathOf(await crowd(world));
      const page = async (query: string) => world.get(`${path}?${query}`);
      const first = await page("");
      should(Object.keys(first).sort()).eql([items, "has_more"].sort());
      should(first[items]).have.length(fallback);
      should(first.has_more).be.true();
      should((await page(`limit=${max}`))[items].length).be.belowOrEqual(max);
      const one = await page("limit=1");
      should(one[items]).have.length(1);
      should(one.has_more).be.true();
    },
  );

  row("C2", `${what} refuse limits and offsets that are none`, [], async (world) => {
    const path = pathOf(`/channels/${await world.shared()}`);
    for (const wrong of [
      "limit=0",
      "limit=-1",
      `limit=${max + 1}`,
      "limit=x",
      "limit=1.5",
      "limit=",
      "limit=1&limit=2",
      "offset=-1",
      "offset=x",
      "offset=0.5",
      "offset=1e30",
    ]) {
      await world.invalid("GET", `${path}?${wrong}`);
    }
  });
}

for (const [what, pathOf, , items] of LISTS.filter(([name]) => name !== "polls of events")) {
  row("C1 C2", `${what} are read whole, page by page, each once`, ["local"], async (world) => {
    const path = pathOf(await crowd(world));
    const seen: string[] = [];
    for (let has_more = true; has_more; ) {
      const page = await world.get(`${path}?limit=17&offset=${seen.length}`);
      seen.push(
        ...page[items].map((item: Json) =>
          JSON.stringify(
            Object.entries(item).find(([key]) => key.endsWith("_id") && key !== "channel_id") ??
              item.channel_id,
          ),
        ),
      );
      has_more = page.has_more;
      if (has_more) should(page[items]).have.length(17);
    }
    should(new Set(seen).size).equal(seen.length);
    const past = await world.get(`${path}?offset=${seen.length}`);
    should(past).eql({ [items]: [], has_more: false });
  });
}

row("C1 C2", "polls of events are read whole by offset, each once", ["local"], async (world) => {
  const path = await crowd(world);
  const seen: number[] = [];
  for (let has_more = true; has_more; ) {
    const page = await world.get(`${path}/events?limit=17&offset=${(seen.at(-1) ?? 0) + 1}`);
    seen.push(...page.events.map(({ headers }: Json) => headers.offset));
    has_more = page.has_more;
  }
  should(seen.length).be.above(200);
  should(seen).eql(seen.map((_offset, index) => index + 1));
});
