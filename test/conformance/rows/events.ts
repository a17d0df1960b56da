import should from "should";
import {
  decoded,
  ERC20,
  freshAddress,
  getAddress,
  keccak256,
  TRANSFER,
  toUtf8Bytes,
  wrongWithProof,
} from "../chain.ts";
import type { Json } from "../client.ts";
import { table } from "../row.ts";
import { NOWHERE, UUID, type World } from "../world.ts";

export const { rows, row } = table();

const TYPES = ["operation.status", "query.status", "watcher.status", "watcher.event", "wallet.status"];
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
/** What may follow what. */
const LIFECYCLES: Record<string, Record<string, string[]>> = {
  "watcher.status": {
    "": ["pending"],
    pending: ["active", "failed"],
    active: ["failed", "archiving"],
    failed: ["archiving"],
    archiving: ["archived", "archive_failed"],
    archive_failed: ["archiving"],
  },
  "wallet.status": {
    "": ["pending"],
    pending: ["deploying", "failed", "archived"],
    deploying: ["deployed", "failed", "archived"],
    deployed: ["archived"],
    failed: ["archived"],
  },
  "operation.status": {
    "": ["pending_signature", "accepted"],
    pending_signature: ["accepted", "cancelled", "expired"],
    accepted: ["sending", "failed", "expired"],
    sending: ["sent", "failed", "expired"],
    sent: ["broadcasting", "failed", "expired"],
    broadcasting: ["confirmed_latest", "confirmed_safe", "confirmed", "failed", "expired"],
    confirmed_latest: ["confirmed_safe", "confirmed", "failed"],
    confirmed_safe: ["confirmed", "failed"],
  },
  "query.status": {
    "": ["accepted"],
    accepted: ["sending", "failed", "expired"],
    sending: ["sent", "failed", "expired"],
    sent: ["completed", "failed", "expired"],
  },
};
const SUBJECTS: Record<string, string> = {
  "watcher.status": "watcher_id",
  "wallet.status": "wallet_id",
  "operation.status": "operation_id",
  "query.status": "query_id",
};

const ids = ({ events }: Json) => events.map(({ event_id }: Json) => event_id);
const offsets = ({ events }: Json): number[] => events.map(({ headers }: Json) => headers.offset);
const isSigned = ({ headers, payload }: Json) =>
  headers.type === "watcher.event" ||
  (headers.type === "operation.status" && payload.status.startsWith("confirmed")) ||
  (headers.type === "query.status" && ["completed", "failed"].includes(payload.status));

/** A watcher's channel with a transfer in it, at every confidence. */
const transfer = (world: World) =>
  world.once("transfer", async () => {
    const { channel, id } = await world.watcher();
    const to = freshAddress();
    const paid = await world.expect(200, "POST", "/local/faucet", { to, amount: "12345678901234567890123" });
    const events = await world.until("both confidences of a transfer", async () => {
      const all = await world.events(channel);
      const found = all.filter(
        ({ headers, payload }) =>
          headers.type === "watcher.event" && decoded(payload.verifiable_event).chain_event.params.to === to,
      );
      return found.length >= 2 ? found : undefined;
    });
    return { channel, id, to, paid, events };
  });

/** All channels in which rows left events. */
async function everything(world: World): Promise<Json[][]> {
  const channels = new Set<string>();
  for (const { path } of world.seen) {
    const id = /^\/channels\/([0-9a-f-]{36})/.exec(path)?.[1];
    if (id !== undefined && id !== NOWHERE) channels.add(id);
  }
  return await Promise.all([...channels].map((id) => world.events(id)));
}

row("C5", "an event has an id, a type, an offset, proofs and a payload", ["token"], async (world) => {
  const events = (await everything(world)).flat();
  should(events.length).be.above(0);
  for (const event of events) {
    should(event.event_id).match(UUID);
    should(Number.isInteger(event.headers.offset)).be.true();
    should(event.headers.proofs).be.an.Array();
    should(event.payload).be.an.Object();
    should(Number.isInteger(event.payload.timestamp)).be.true();
    if (event.payload.chain_selector !== undefined) should(event.payload.chain_selector).match(/^[0-9]+$/);
  }
  should(new Set(events.map(({ event_id }) => event_id)).size).equal(events.length);
});

row("S6 C6", "what is signed carries one proof, anything else carries none", [], async (world) => {
  for (const event of (await everything(world)).flat()) {
    should(event.headers.proofs).have.length(isSigned(event) ? 1 : 0, JSON.stringify(event.payload));
    const text = event.payload.verifiable_event ?? event.payload.verifiable_result;
    should(text !== undefined).equal(isSigned(event));
    if (text !== undefined) should(event.payload.event_hash).equal(keccak256(toUtf8Bytes(text)));
  }
});

row("C6", "each proof holds: owner, hash, and enough signers of the set", ["proofs"], async (world) => {
  const trust = world.target.verification;
  for (const { headers, payload } of (await everything(world)).flat()) {
    const text = payload.verifiable_event ?? payload.verifiable_result;
    if (text === undefined || trust === undefined) continue;
    should(wrongWithProof(text, headers.proofs, trust)).be.undefined();
  }
});

row(
  "S3 C4",
  "each change of a status follows the lifecycle, is told once, and none goes back",
  [],
  async (world) => {
    for (const events of await everything(world)) {
      const last = new Map<string, string>();
      for (const { headers, payload } of events) {
        const subject = SUBJECTS[headers.type];
        if (subject === undefined) continue;
        const before = last.get(payload[subject]) ?? "";
        const path = `${headers.type} of ${payload[subject]}: ${before} → ${payload.status}`;
        should(LIFECYCLES[headers.type]?.[before]?.includes(payload.status)).be.true(path);
        last.set(payload[subject], payload.status);
      }
    }
  },
);

row("C5", "offsets of a channel count from 1, without gaps", ["local"], async (world) => {
  for (const events of await everything(world)) {
    should(events.map(({ headers }) => headers.offset)).eql(events.map((_event, index) => index + 1));
  }
});

row("C5", "without an offset a poll tells the newest events, newest first", ["local"], async (world) => {
  const { channel } = await transfer(world);
  const all = (await world.events(channel)).map(({ headers }) => headers.offset);
  should(offsets(await world.get(`/channels/${channel}/events`))).eql(all.toReversed());
  const two = await world.get(`/channels/${channel}/events?limit=2`);
  should(offsets(two)).eql(all.slice(-2).reverse());
  should(two.has_more).be.true();
});

row("C5", "with an offset a poll tells the events from there on, in order", ["local"], async (world) => {
  const { channel } = await transfer(world);
  const all = (await world.events(channel)).map(({ headers }) => headers.offset);
  const page = (query: string) => world.get(`/channels/${channel}/events?${query}`);
  should(offsets(await page("offset=0"))).eql(all);
  should(offsets(await page("offset=2"))).eql(all.slice(1));
  const two = await page("offset=2&limit=2");
  should(offsets(two)).eql([2, 3]);
  should(two.has_more).be.true();
  should(await page(`offset=${all.length + 1}`)).eql({ events: [], has_more: false });
  should(await page(`offset=${Number.MAX_SAFE_INTEGER}`)).eql({ events: [], has_more: false });
});

row("S4 C5", "a poll can ask for one type", ["token"], async (world) => {
  const { channel } = await world.watcher();
  for (const type of TYPES) {
    const all = (await world.events(channel)).filter(({ headers }) => headers.type === type);
    const found = await world.get(`/channels/${channel}/events?offset=0&type=${type}`);
    should(ids(found).sort()).eql(all.map(({ event_id }) => event_id).sort());
  }
  await world.invalid("GET", `/channels/${channel}/events?type=wallet.event`);
});

row("C5", "a contract event says which log it is, signed", ["local"], async (world) => {
  const { events, id, to, paid } = await transfer(world);
  for (const { payload } of events) {
    should(payload.watcher_id).equal(id);
    should(payload.chain_selector).equal(world.network.chain_selector);
    const signed = decoded(payload.verifiable_event);
    should(signed.name).equal("Transfer");
    should(signed.timestamp).match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    should(signed.chain_selector).equal(world.network.chain_selector);
    const log = signed.chain_event;
    should(log).containDeep({ chain_id: world.network.chain_id, address: getAddress(world.token) });
    should(log.tx_hash).equal(paid.transaction_hash ?? log.tx_hash);
    should(log.tx_hash).match(/^0x[0-9a-f]{64}$/);
    should(log.event_signature).equal("Transfer(address,address,uint256)");
    should(log.topic_hash).equal(keccak256(toUtf8Bytes("Transfer(address,address,uint256)")));
    for (const field of ["block_number", "block_timestamp", "log_index"]) {
      should(Number.isInteger(log[field])).be.true(field);
    }
    should(log.params.to).equal(to);
    should(log.params.value).equal("12345678901234567890123");
  }
});

row("C5", "one log is told once at each confidence: latest and finalized", ["local"], async (world) => {
  const { events } = await transfer(world);
  const logs = events.map(({ payload }: Json) => decoded(payload.verifiable_event).chain_event);
  should(logs.map(({ confidence }: Json) => confidence)).eql(["latest", "finalized"]);
  should(logs[0].tx_hash).equal(logs[1].tx_hash);
});

row("C5", "parameters are keyed by the names of the ABI in snake_case", ["local"], async (world) => {
  const channel = await world.channel();
  const inputs = TRANSFER.inputs.map((input) => ({
    ...input,
    name: `the${input.name[0]?.toUpperCase()}${input.name.slice(1)}`,
  }));
  const watcher = world.newWatcher({ abi: [{ ...TRANSFER, inputs }] });
  const { watcher_id } = await world.expect(201, "POST", `/channels/${channel}/watchers`, watcher);
  await world.status(`/channels/${channel}/watchers/${watcher_id}`, "active");
  await world.expect(200, "POST", "/local/faucet", {});
  const event = await world.until("an event", async () => {
    const page = await world.get(`/channels/${channel}/events?type=watcher.event&offset=0`);
    return page.events[0];
  });
  const { params } = decoded(event.payload.verifiable_event).chain_event;
  should(Object.keys(params).sort()).eql(["the_from", "the_to", "the_value"]);
});

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
  ]) {
    should((await found(query)).map(({ payload }: Json) => payload.operation_id)).eql([operation_id], query);
  }
  for (const query of [
    `wallet_id=${NOWHERE}`,
    `operation_id=${NOWHERE}`,
    `query_id=${NOWHERE}`,
    "wallet_operation_id=1",
  ]) {
    should(await found(query)).eql([], query);
  }
});

for (const type of TYPES) {
  row(
    "C2",
    `a search for ${type} takes the filters that apply to it, and refuses the others`,
    [],
    async (world) => {
      const path = `/channels/${await world.shared()}/events/search?type=${type}`;
      for (const [filter, value] of Object.entries(FILTERS)) {
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
    const all = Object.entries(FILTERS).map(([name, value]) => `${name}=${value}`);
    should((await world.get(`${path}?${all.join("&")}`)).events).eql([]);
  },
);

row(
  "S3 C4 C5",
  "after a reorganization a moved log is told again with its new block, and its operation does not go back",
  ["local"],
  async (world) => {
    const channel = await world.channel();
    const { watcher_id } = await world.expect(
      201,
      "POST",
      `/channels/${channel}/watchers`,
      world.newWatcher(),
    );
    await world.status(`/channels/${channel}/watchers/${watcher_id}`, "active");
    const { wallet } = await world.wallet();
    await world.expect(200, "POST", "/local/faucet", { to: wallet.address, amount: "1" });
    const to = freshAddress();
    const data = ERC20.encodeFunctionData("transfer", [to, 1n]);
    const { path, id } = await world.submit({ transactions: [{ to: world.token, value: "0", data }] });
    await world.status(path, "confirmed_latest", "confirmed_safe", "confirmed");
    await world.expect(200, "POST", "/local/reorg", { depth: 3 });
    await world.status(path, "confirmed");
    const logs = await world.until("the finalized log", async () => {
      const signed = (await world.events(channel))
        .filter(({ headers }) => headers.type === "watcher.event")
        .map(({ payload }) => decoded(payload.verifiable_event).chain_event)
        .filter(({ params }) => params.to === to);
      return signed.some(({ confidence }) => confidence === "finalized") ? signed : undefined;
    });
    const latest = logs.filter(({ confidence }) => confidence === "latest");
    const finalized = logs.filter(({ confidence }) => confidence === "finalized");
    should(finalized).have.length(1);
    should(
      new Set(latest.map((log) => `${log.block_number} ${log.block_timestamp} ${log.tx_hash}`)).size,
    ).equal(latest.length);
    should(latest.at(-1)).containDeep({ ...finalized[0], confidence: "latest" });
    const told = await world.told((await world.wallet()).channel, "operation_id", id);
    const steps = told.map(({ payload }) => payload.status);
    should(new Set(steps).size).equal(steps.length);
  },
);
