import { randomUUID } from "node:crypto";
import should from "should";
import { decoded, ERC20, freshAddress, getAddress, keccak256, toUtf8Bytes } from "../chain.ts";
import type { Json } from "../client.ts";
import { table } from "../row.ts";
import { NOWHERE, UUID, type World, ZERO } from "../world.ts";

export const { rows, row } = table();

const resultOf = (query: Json) => decoded(query.verifiable_result).data;

/** One answered query, for the rows that look at it. */
const completed = (world: World) =>
  world.once("completed query", async () => {
    const channel = await world.channel();
    const body = world.newQuery();
    const accepted = await world.expect(202, "POST", `/channels/${channel}/queries`, body);
    const query = await world.status(`/channels/${channel}/queries/${accepted.query_id}`, "completed");
    return { channel, body, accepted, query };
  });

row("S3 C2", "a query is accepted, and only named at first", ["token"], async (world) => {
  const { accepted } = await completed(world);
  should(accepted.query_id).match(UUID);
  should(accepted.status).equal("accepted");
});

row("S3 C3", "it is completed, with its times, its target and a signed result", ["token"], async (world) => {
  const { query, channel } = await completed(world);
  should(query).containDeep({ status: "completed", channel_id: channel, query_kind: "evm_call" });
  should(query.chain_selector).equal(world.network.chain_selector);
  should(query.target).equal(getAddress(world.token));
  for (const field of ["created_at", "updated_at", "accepted_at", "sending_at", "sent_at", "completed_at"]) {
    if (query[field] !== undefined) should(Number.isInteger(query[field])).be.true(field);
  }
  should(query.event_hash).equal(keccak256(toUtf8Bytes(query.verifiable_result)));
  should(query.proof).be.an.Object();
});

row("C3", "it has 5 minutes to live", ["local"], async (world) => {
  const { query } = await completed(world);
  should(query.expires_at - query.created_at).equal(300);
});

row("S3 S6", "each status has one event, in order", ["token"], async (world) => {
  const { query, channel } = await completed(world);
  const statusEvents = await world.statusEvents(channel, "query_id", query.query_id);
  const statuses = statusEvents.map(({ payload }) => payload.status);
  statuses.should.eql(["accepted", "sending", "sent", "completed"]);
  for (const { headers, payload } of statusEvents) {
    should(headers.type).equal("query.status");
    should(payload.target).equal(query.target);
    should(payload.chain_selector).equal(query.chain_selector);
  }
  const last = statusEvents.at(-1).payload;
  should(last.verifiable_result).equal(query.verifiable_result);
  should(last.event_hash).equal(query.event_hash);
});

row(
  "C5",
  "the signed result names the query, what was asked, the block, and what came back",
  ["token"],
  async (world) => {
    const { query, channel, body } = await completed(world);
    const signed = decoded(query.verifiable_result);
    should(signed).containDeep({
      service: "_crec",
      name: "ChainQuery",
      chain_selector: query.chain_selector,
    });
    should(new Date(signed.timestamp).getTime()).be.above(0);
    const { data } = signed;
    should(data).containDeep({ query_id: query.query_id, channel_id: channel, query_kind: "evm_call" });
    should(getAddress(data.target.contract_address)).equal(getAddress(world.token));
    should(data.target.call_data).equal(body.params.call_data);
    should(data.target.from_address).equal(ZERO);
    should(data.block_selection.requested).eql({ type: "latest" });
    should(data.block_selection.resolved.block_number).match(/^[0-9]+$/);
    should(data.block_selection.resolved.block_hash).match(/^0x[0-9a-f]{64}$/);
    should(data.result.raw_return_data).match(/^0x[0-9a-f]{64}$/);
    should(data.error).be.undefined();
  },
);

row(
  "C2",
  "the same key with the same request is the same query, with another request a conflict",
  ["token"],
  async (world) => {
    const { channel, body, accepted } = await completed(world);
    const path = `/channels/${channel}/queries`;
    should((await world.expect(202, "POST", path, body)).query_id).equal(accepted.query_id);
    const same = { ...body, params: { ...body.params, from_address: ZERO } };
    if (world.has("local"))
      should((await world.expect(202, "POST", path, same)).query_id).equal(accepted.query_id);
    for (const change of [{ metadata: { a: 1 } }, { params: { ...body.params, call_data: "0x06fdde03" } }]) {
      await world.conflict("IDEMPOTENCY_KEY_MISMATCH", "POST", path, { ...body, ...change });
    }
    const other = `/channels/${await world.channel()}/queries`;
    should((await world.expect(202, "POST", other, body)).query_id).not.equal(accepted.query_id);
  },
);

row("C1", "two concurrent requests with one key create one query", ["token"], async (world) => {
  const channel = await world.channel();
  const body = world.newQuery();
  const asked = await Promise.all(
    [1, 2, 3].map(() => world.expect(202, "POST", `/channels/${channel}/queries`, body)),
  );
  should(new Set(asked.map(({ query_id }) => query_id)).size).equal(1);
  should((await world.get(`/channels/${channel}/queries`)).data).have.length(1);
});

row("C2", "a block is latest, finalized, or one by its number", ["token"], async (world) => {
  const channel = await world.shared();
  const latest = resultOf(await world.ask(channel, world.newQuery()));
  const { block_number } = latest.block_selection.resolved;
  const finalized = await world.ask(channel, world.newQuery({ block_selection: { type: "finalized" } }));
  should(finalized.status).equal("completed");
  const final = resultOf(finalized).block_selection.resolved.block_number;
  should(Number(final)).be.belowOrEqual(Number(block_number) + 100);
  const selection = { type: "block_number", block_number: final };
  const named = resultOf(await world.ask(channel, world.newQuery({ block_selection: selection })));
  should(named.block_selection.requested).eql(selection);
  should(named.block_selection.resolved.block_number).equal(final);
});

row("C2", "what a query needs is required, and must be right", ["token"], async (world) => {
  const path = `/channels/${await world.shared()}/queries`;
  for (const field of ["idempotency_key", "query_kind", "chain_selector", "params"]) {
    await world.invalid("POST", path, world.newQuery({}, { [field]: undefined }));
    await world.invalid("POST", path, world.newQuery({}, { [field]: 5 }));
  }
  for (const field of ["contract_address", "call_data", "block_selection"]) {
    await world.invalid("POST", path, world.newQuery({ [field]: undefined }));
    await world.invalid("POST", path, world.newQuery({ [field]: 5 }));
  }
  for (const params of [
    { call_data: "0x123" },
    { call_data: "0xzz" },
    { call_data: "18160ddd" },
    { gas: 5 },
    { from_address: "0x12" },
    { block_selection: { type: "pending" } },
    { block_selection: { type: "block_number" } },
    { block_selection: { type: "block_number", block_number: 5 } },
    { block_selection: { type: "block_number", block_number: "0x5" } },
    { block_selection: "latest" },
    { block_selection: { type: "latest", block_number: "5" } },
  ]) {
    await world.invalid("POST", path, world.newQuery(params));
  }
  for (const change of [
    { idempotency_key: "" },
    { idempotency_key: "x".repeat(256) },
    { query_kind: "sql" },
    { metadata: "text" },
    { metadata: [] },
    { metadata: { text: "x".repeat(16 * 1024) } },
    { name: "no such field" },
  ]) {
    await world.invalid("POST", path, world.newQuery({}, change));
  }
  await world.conflict("CHAIN_UNAVAILABLE", "POST", path, world.newQuery({}, { chain_selector: "1" }));
  const metadata = { text: "x".repeat(16 * 1024 - '{"text":""}'.length) };
  const idempotency_key = randomUUID().padEnd(255, "x");
  await world.expect(202, "POST", path, world.newQuery({}, { metadata, idempotency_key }));
});

row("C7", "who asks is the zero address unless said, and always signed", ["token"], async (world) => {
  const from = freshAddress();
  const query = await world.ask(await world.shared(), world.newQuery({ from_address: from.toLowerCase() }));
  should(getAddress(resultOf(query).target.from_address)).equal(from);
});

row("S7 C5", "a call that reverts fails, with its revert data signed", ["token"], async (world) => {
  const channel = await world.shared();
  const call_data = ERC20.encodeFunctionData("transfer", [freshAddress(), 10n ** 40n]);
  const query = await world.ask(channel, world.newQuery({ call_data, from_address: freshAddress() }));
  should(query.status).equal("failed");
  const { error, result } = resultOf(query);
  should(error.code).equal("CALL_REVERTED");
  should(error.raw_revert_data).match(/^0x([0-9a-f]{2})*$/);
  should(result).be.undefined();
  const statusEvents = await world.statusEvents(channel, "query_id", query.query_id);
  statusEvents.map(({ payload }) => payload.status).should.eql(["accepted", "sending", "sent", "failed"]);
});

row("C5", "an address without a contract fails with its own code", ["token"], async (world) => {
  const query = await world.ask(await world.shared(), world.newQuery({ contract_address: freshAddress() }));
  should(query.status).equal("failed");
  should(resultOf(query).error.code).equal("CONTRACT_NOT_FOUND");
});

row("C5", "an unknown block fails with its own code", ["token"], async (world) => {
  for (const block_number of ["999999999999", String(2n ** 70n)]) {
    const block_selection = { type: "block_number", block_number };
    const query = await world.ask(await world.shared(), world.newQuery({ block_selection }));
    should(query.status).equal("failed");
    should(resultOf(query).error.code).equal("BLOCK_SELECTION_NOT_AVAILABLE");
  }
});

row("C1", "an archived channel is not found for new queries, and shows its own", ["token"], async (world) => {
  const channel = await world.channel();
  const { query_id } = await world.ask(channel, world.newQuery());
  await world.expect(200, "PATCH", `/channels/${channel}`, { status: "archived" });
  const path = `/channels/${channel}/queries`;
  await world.missing("CHANNEL_NOT_FOUND", "POST", path, world.newQuery());
  should((await world.get(`${path}/${query_id}`)).status).equal("completed");
  should((await world.get(path)).data.length).equal(1);
});

row("C1", "an unknown query, or one of another channel, has its own error code", ["token"], async (world) => {
  const { channel, query } = await completed(world);
  await world.missing("QUERY_NOT_FOUND", "GET", `/channels/${channel}/queries/${NOWHERE}`);
  const other = await world.shared();
  await world.missing("QUERY_NOT_FOUND", "GET", `/channels/${other}/queries/${query.query_id}`);
});

row("C2", "queries are found by status, kind, network and environment", ["token"], async (world) => {
  const { query } = await completed(world);
  const channel = await world.channel();
  const { query_id } = await world.ask(channel, world.newQuery());
  const other = world.network.type === "testnet" ? "mainnet" : "testnet";
  for (const [filter, is] of [
    ["status=completed", true],
    ["status=failed&status=completed", true],
    ["status=failed&status=expired", false],
    ["query_kind=evm_call", true],
    [`chain_selector=${query.chain_selector}`, true],
    ["chain_selector=1", false],
    [`chain_environment=${world.network.type}`, true],
    [`chain_environment=${other}`, false],
  ] as const) {
    const { data } = await world.get(`/channels/${channel}/queries?${filter}`);
    should(data.map((found: Json) => found.query_id)).eql(is ? [query_id] : [], filter);
  }
  for (const filter of ["status=x", "chain_selector=x", "chain_environment=x"]) {
    await world.invalid("GET", `/channels/${channel}/queries?${filter}`);
  }
});

row(
  "S7 C5",
  "a dispatch that fails for good ends in failed, with a signed error",
  ["local"],
  async (world) => {
    const failure = { kind: "query", times: 1, reason: "as a test wants it" };
    should((await world.call("POST", "/local/failures", failure)).status).be.below(300);
    const query = await world.ask(await world.shared(), world.newQuery());
    should(query.status).equal("failed");
    should(resultOf(query).error.code).equal("CRE_GATEWAY_REJECTED");
    const statusEvents = await world.statusEvents(query.channel_id, "query_id", query.query_id);
    statusEvents.map(({ payload }) => payload.status).should.eql(["accepted", "sending", "failed"]);
  },
);
