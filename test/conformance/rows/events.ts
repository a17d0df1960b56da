import should from "should";
import { decoded, ERC20, freshAddress, getAddress, keccak256, TRANSFER, toUtf8Bytes } from "../chain.ts";
import type { Json } from "../client.ts";
import { ids, offsets, transfer } from "../contract-events.ts";
import { table } from "../row.ts";

export const { rows, row } = table();

const TYPES = ["operation.status", "query.status", "watcher.status", "watcher.event", "wallet.status"];
row("C5", "without an offset, a poll returns the newest events, newest first", ["local"], async (world) => {
  const { channel } = await transfer(world);
  const all = (await world.events(channel)).map(({ headers }) => headers.offset);
  should(offsets(await world.get(`/channels/${channel}/events`))).eql(all.toReversed());
  const two = await world.get(`/channels/${channel}/events?limit=2`);
  should(offsets(two)).eql(all.slice(-2).reverse());
  should(two.has_more).be.true();
});

row("C5", "with an offset, a poll returns the events from there, in order", ["local"], async (world) => {
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

row("S4 C5", "a poll can ask for one type", ["local"], async (world) => {
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

row(
  "C5",
  "one log is reported once at each confidence level: latest and finalized",
  ["local"],
  async (world) => {
    const { events } = await transfer(world);
    const logs = events.map(({ payload }: Json) => decoded(payload.verifiable_event).chain_event);
    should(logs.map(({ confidence }: Json) => confidence)).eql(["latest", "finalized"]);
    should(logs[0].tx_hash).equal(logs[1].tx_hash);
  },
);

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

row(
  "S3 C4 C5",
  "after a reorganization, a moved log is reported again with its new block, and the status of its operation does not go back",
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
    const statusEvents = await world.statusEvents((await world.wallet()).channel, "operation_id", id);
    const steps = statusEvents.map(({ payload }) => payload.status);
    should(new Set(steps).size).equal(steps.length);
  },
);
