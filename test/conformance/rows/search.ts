import should from "should";
import { freshAddress } from "../chain.ts";
import type { Json } from "../client.ts";
import { ids, transfer } from "../contract-events.ts";
import { table } from "../row.ts";
import { NOWHERE, type World } from "../world.ts";

export const { rows, row } = table();

/** The filters that apply to events of a type. */
const APPLICABLE: Record<string, string[]> = {
  "operation.status": ["status", "chain_selector", "address", "operation_id", "wallet_operation_id"],
  "query.status": ["status", "chain_selector", "query_id"],
  "watcher.status": ["watcher_id", "status", "chain_selector"],
  "watcher.event": ["watcher_id", "chain_selector", "address", "event_name", "service"],
  "wallet.status": ["wallet_id", "status", "chain_selector", "address"],
};
const FILTERS: Record<string, string> = {
  status: "failed",
  chain_selector: "1",
  address: freshAddress(),
  operation_id: NOWHERE,
  wallet_operation_id: "1",
  query_id: NOWHERE,
  watcher_id: NOWHERE,
  event_name: "Transfer",
  service: "erc20",
  wallet_id: NOWHERE,
};
/** Filters that the specification has and the public service does not list: a service that is not ours may refuse them. */
const UNLISTED = ["operation_id", "query_id"];
const listed = (world: World, filter: string) => world.has("local") || !UNLISTED.includes(filter);

row("C2", "an event is found by its id, in its channel only", ["token"], async (world) => {
  const { channel } = await world.watcher();
  const [event] = await world.events(channel);
  should(await world.get(`/channels/${channel}/events/search/${event.event_id}`)).eql(event);
  const elsewhere = `/channels/${await world.shared()}/events/search/${event.event_id}`;
  await world.refused({ status: 404, type: "NOT_FOUND" }, "GET", elsewhere);
  await world.refused(
    { status: 404, type: "NOT_FOUND" },
    "GET",
    `/channels/${channel}/events/search/${NOWHERE}`,
  );
});

row(
  "C2",
  "events are searched by type, status and time, each filter repeatable where it says so",
  ["token"],
  async (world) => {
    const { channel } = await world.watcher();
    const all = await world.events(channel);
    const found = async (query: string) =>
      ids(await world.get(`/channels/${channel}/events/search?limit=200&${query}`)).sort();
    const those = (test: (event: Json) => boolean) =>
      all
        .filter(test)
        .map(({ event_id }) => event_id)
        .sort();
    should(await found("")).eql(those(() => true));
    should(await found("type=watcher.status")).eql(those(({ headers }) => headers.type === "watcher.status"));
    should(await found("type=watcher.status&type=watcher.event")).eql(those(() => true));
    should(await found("status=active")).eql(those(({ payload }) => payload.status === "active"));
    should(await found("type=watcher.status&status=active&status=pending")).eql(
      those(({ payload }) => ["active", "pending"].includes(payload.status)),
    );
    const times = all.map(({ created_at }) => created_at).filter(Number.isInteger);
    if (times.length > 0) {
      const time = times[Math.floor(times.length / 2)];
      should(await found(`created.gt=${time}`)).eql(those(({ created_at }) => created_at > time));
      should(await found(`created.gte=${time}`)).eql(those(({ created_at }) => created_at >= time));
      should(await found(`created.lt=${time}`)).eql(those(({ created_at }) => created_at < time));
      should(await found(`created.lte=${time}`)).eql(those(({ created_at }) => created_at <= time));
      should(await found(`created.gte=${time}&created.lt=${time}`)).eql([]);
    }
    for (const wrong of [
      "type=x",
      "created.gt=yesterday",
      "created.gt=1.5",
      "watcher_id=x",
      "address=x",
      "chain_selector=x",
    ]) {
      await world.invalid("GET", `/channels/${channel}/events/search?${wrong}`);
    }
  },
);

row(
  "C2",
  "events are searched by network, environment, watcher, address, event and service",
  ["local"],
  async (world) => {
    const { channel, id } = await transfer(world);
    const all = await world.events(channel);
    const count = async (query: string) =>
      (await world.get(`/channels/${channel}/events/search?limit=200&${query}`)).events.length;
    const logs = all.filter(({ headers }) => headers.type === "watcher.event").length;
    const other = world.network.type === "testnet" ? "mainnet" : "testnet";
    for (const [query, wanted] of [
      [`chain_selector=${world.network.chain_selector}`, all.length],
      [`chain_selector=1&chain_selector=${world.network.chain_selector}`, all.length],
      ["chain_selector=1", 0],
      [`chain_environment=${world.network.type}`, all.length],
      [`chain_environment=${other}`, 0],
      [`watcher_id=${id}`, all.length],
      [`watcher_id=${NOWHERE}`, 0],
      [`address=${world.token.toLowerCase()}`, logs],
      [`address=${freshAddress()}&address=${world.token}`, logs],
      [`address=${freshAddress()}`, 0],
      ["event_name=Transfer", logs],
      ["event_name=Approval", 0],
      ["service=erc20", 0],
    ] as const) {
      should(await count(query)).equal(wanted, query);
    }
  },
);

row("C2", "events are searched by wallet, operation and query", ["wallet"], async (world) => {
  const { wallet, channel } = await world.wallet();
  const { operation } = await world.draft();
  const found = async (query: string) =>
    (await world.get(`/channels/${channel}/events/search?limit=200&${query}`)).events;
  const all = await world.events(channel);
  const ofWallet = all.filter(({ payload }) => payload.wallet_id === wallet.wallet_id);
  should(ids({ events: await found(`wallet_id=${wallet.wallet_id}`) }).sort()).eql(
    ids({ events: ofWallet }).sort(),
  );
  const { operation_id, wallet_operation_id } = operation;
  for (const query of [
    `operation_id=${operation_id}`,
    `wallet_operation_id=${wallet_operation_id}`,
    `wallet_operation_id=00${wallet_operation_id}`.slice(0, 98),
    `type=operation.status&address=${wallet.address}&wallet_operation_id=${wallet_operation_id}`,
  ].filter((query) => listed(world, query.split("=", 1)[0] ?? ""))) {
    should((await found(query)).map(({ payload }: Json) => payload.operation_id)).eql([operation_id], query);
  }
  for (const query of [
    `wallet_id=${NOWHERE}`,
    `operation_id=${NOWHERE}`,
    `query_id=${NOWHERE}`,
    "wallet_operation_id=1",
  ].filter((query) => listed(world, query.split("=", 1)[0] ?? ""))) {
    should(await found(query)).eql([], query);
  }
});

for (const type of Object.keys(APPLICABLE)) {
  row(
    "C2",
    `a search for ${type} takes the filters that apply to it, and refuses the others`,
    [],
    async (world) => {
      const path = `/channels/${await world.shared()}/events/search?type=${type}`;
      for (const [filter, value] of Object.entries(FILTERS)) {
        if (!listed(world, filter)) continue;
        if (APPLICABLE[type]?.includes(filter)) await world.get(`${path}&${filter}=${value}`);
        else await world.invalid("GET", `${path}&${filter}=${value}`);
      }
      await world.get(`${path}&chain_environment=${world.network.type}`);
    },
  );
}

row(
  "C2",
  "a filter must apply to every type that is named; where none is, each may be used",
  [],
  async (world) => {
    const path = `/channels/${await world.shared()}/events/search`;
    await world.invalid("GET", `${path}?type=watcher.event&type=watcher.status&event_name=Transfer`);
    await world.get(`${path}?type=watcher.event&type=watcher.status&watcher_id=${NOWHERE}`);
    const all = Object.entries(FILTERS)
      .filter(([name]) => listed(world, name))
      .map(([name, value]) => `${name}=${value}`);
    should((await world.get(`${path}?${all.join("&")}`)).events).eql([]);
  },
);
