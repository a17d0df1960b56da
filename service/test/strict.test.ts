import { randomUUID } from "node:crypto";
import should from "should";
import type {
  EventEnvelope,
  EventPage,
  Operation,
  Query,
  Wallet,
  Watcher,
} from "../../src/protocol/index.ts";
import { generatePrivateKey, localEcdsaSigner } from "../../src/signing/index.ts";
import { callOf, signedOperation } from "./signed-operation.ts";
import { type Api, startTestService, TRANSFER } from "./support.ts";

describe("a strict service", function () {
  this.timeout(120_000);
  const signer = localEcdsaSigner(generatePrivateKey());
  let api: Api;
  let dispose: () => Promise<void>;
  let channelId: string;

  before(async () => {
    ({ api, dispose } = await startTestService({ strict: true }));
    channelId = await api.channel();
  });
  after(() => dispose());

  it("refuses searches that the public service does not list", async () => {
    for (const [query, instead] of [
      [`operation_id=${randomUUID()}`, "Search by wallet_operation_id."],
      [`type=operation.status&operation_id=${randomUUID()}`, "Search by wallet_operation_id."],
      [`query_id=${randomUUID()}`, "Ask for the query itself."],
    ]) {
      const { status, body } = await api.call("GET", `/channels/${channelId}/events/search?${query}`);
      should(status).equal(400);
      should(body.type).equal("VALIDATION_ERROR");
      should(String(body.message)).endWith(String(instead));
    }
    const listed = `/channels/${channelId}/events/search?type=operation.status&wallet_operation_id=1`;
    should((await api.call("GET", listed)).status).equal(200);
  });

  it("polls events of all types, whatever the type parameter", async () => {
    await api.transferWatcher(channelId);
    for (const order of ["offset=1&", ""]) {
      const path = `/channels/${channelId}/events?${order}type=operation.status`;
      const { events } = await api.ok<EventPage<EventEnvelope>>("GET", path);
      should(events.map(({ headers }) => headers.type)).containEql("watcher.status");
    }
    const several = `/channels/${channelId}/events?offset=1&type=no-such-type&type=query.status`;
    const { events } = await api.ok<EventPage<EventEnvelope>>("GET", several);
    should(events).not.be.empty();
  });

  it("refuses an ABI without anonymous, indexed or internalType", async () => {
    const { anonymous, ...event } = TRANSFER;
    const without = (member: string) => ({
      ...TRANSFER,
      inputs: TRANSFER.inputs.map((input) => ({ ...input, [member]: undefined })),
    });
    const create = (fragment: object) =>
      api.call("POST", `/channels/${channelId}/watchers`, {
        ...{ name: `abi ${randomUUID()}`, chain_selector: api.ready.chain_selector },
        ...{ address: api.ready.contracts.DemoToken, events: ["Transfer"], abi: [fragment] },
      });
    for (const [fragment, member] of [
      [event, "anonymous"],
      [without("indexed"), "indexed"],
      [without("internalType"), "internalType"],
    ] as const) {
      const { status, body } = await create(fragment);
      should([status, body.type]).eql([400, "VALIDATION_ERROR"]);
      should(String(body.message)).match(new RegExp(`${member} is required`));
    }
    should((await create(TRANSFER)).status).equal(201);
  });

  it("refuses filters with other values than the contract's", async () => {
    for (const [path, known] of [
      ["operations?initiator_subject_type", "api_key"],
      ["operations?signer_subject_type", "user"],
      ["operations?canceller_subject_type", "user"],
      ["queries?query_kind", "evm_call"],
    ]) {
      const { status, body } = await api.call("GET", `/channels/${channelId}/${path}=robot`);
      should([status, body.type]).eql([400, "VALIDATION_ERROR"]);
      should(String(body.message)).match(/must be one of /);
      should((await api.call("GET", `/channels/${channelId}/${path}=${known}`)).status).equal(200);
    }
  });

  it("refuses a new name of a watcher with fewer than four characters", async () => {
    const { watcher_id } = await api.transferWatcher(channelId, "long enough");
    const path = `/channels/${channelId}/watchers/${watcher_id}`;
    should((await api.call("PATCH", path, { name: "abc" })).status).equal(400);
    should((await api.call("PATCH", path, { name: "abcd" })).status).equal(200);
  });

  it("does not describe what it refuses or ignores", async () => {
    const { paths } = await api.ok<{
      paths: Record<string, { get: { parameters: Array<{ name: string }> } }>;
    }>("GET", "/openapi.json");
    const named = (path: string) => paths[path]?.get.parameters.map(({ name }) => name) ?? [];
    should(named("/channels/{channel_id}/events"))
      .containDeep(["limit", "offset"])
      .and.not.containEql("type");
    const searched = named("/channels/{channel_id}/events/search");
    should(searched).containEql("wallet_operation_id");
    should(searched.filter((name) => name === "operation_id" || name === "query_id")).be.empty();
  });

  it("answers the create of an operation with only its id", async () => {
    const created = await api.ok<Wallet>("POST", "/wallets", {
      ...{ name: "payer", wallet_owner_address: signer.address, wallet_type: "ecdsa" },
      ...{ chain_selector: api.ready.chain_selector, allowed_ecdsa_signers: [signer.address] },
    });
    const { address } = await api.until<Wallet>(`/wallets/${created.wallet_id}`, "deployed");
    const request = await signedOperation(api, signer, address, [callOf(api, "Counter", "increment")]);
    const answer = await api.ok<Operation>("POST", `/channels/${channelId}/operations`, request);
    should(Object.keys(answer)).eql(["operation_id"]);
    await api.until<Operation>(`/channels/${channelId}/operations/${answer.operation_id}`, "confirmed");
  });
});

describe("a service that is not strict", function () {
  this.timeout(60_000);
  let api: Api;
  let dispose: () => Promise<void>;

  before(async () => {
    ({ api, dispose } = await startTestService({ strict: false }));
  });
  after(() => dispose());

  it("fills in what an ABI leaves out, and takes a new name of one character", async () => {
    const channelId = await api.channel();
    const created = await api.ok<Watcher>("POST", `/channels/${channelId}/watchers`, {
      ...{ name: "transfers", chain_selector: api.ready.chain_selector, events: ["Transfer"] },
      address: api.ready.contracts.DemoToken,
      abi: [{ type: "event", name: "Transfer", inputs: [{ name: "value", type: "uint256" }] }],
    });
    const [event] = created.abi ?? [];
    should(event).containDeep({ anonymous: false, inputs: [{ internalType: "uint256", indexed: false }] });
    const path = `/channels/${channelId}/watchers/${created.watcher_id}`;
    for (const name of [" a ", "ab", "abc"]) {
      should(await api.ok("PATCH", path, { name })).containEql({ name: name.trim() });
    }
    for (const name of ["", " ", "x".repeat(256)]) {
      should((await api.call("PATCH", path, { name })).status).equal(400);
    }
  });

  it("finds nothing with a filter that has another value than the contract's", async () => {
    const channelId = await api.channel();
    for (const path of ["operations?initiator_subject_type=robot", "queries?query_kind=sql"]) {
      should((await api.ok("GET", `/channels/${channelId}/${path}`)).data).eql([]);
    }
  });

  it("does not find an archived channel for a new query, and still shows its queries", async () => {
    const channelId = await api.channel();
    const path = `/channels/${channelId}/queries`;
    const query = (idempotency_key: string) => ({
      ...{ idempotency_key, query_kind: "evm_call", chain_selector: api.ready.chain_selector },
      params: {
        ...{ contract_address: api.ready.contracts.DemoToken, call_data: "0x18160ddd" },
        block_selection: { type: "latest" },
      },
    });
    const { query_id } = await api.ok<Query>("POST", path, query("before"));
    await api.ok("PATCH", `/channels/${channelId}`, { status: "archived" });
    for (const key of ["after", "before"]) {
      const { status, body } = await api.call("POST", path, query(key));
      should([status, body.type, body.code]).eql([404, "NOT_FOUND", "CHANNEL_NOT_FOUND"]);
      should(String(body.message)).match(/is archived/);
    }
    await api.until<Query>(`${path}/${query_id}`, "completed");
    should((await api.ok<{ data: Query[] }>("GET", path)).data.length).equal(1);
  });

  it("keeps a description that would be blank", async () => {
    const { channel_id } = await api.ok("POST", "/channels", { name: "described", description: "kept" });
    for (const description of ["", " \n", "x".repeat(256)]) {
      should((await api.call("PATCH", `/channels/${channel_id}`, { description })).status).equal(400);
    }
    should(await api.ok("GET", `/channels/${channel_id}`)).containEql({ description: "kept" });
  });
});
