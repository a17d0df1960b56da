import { randomUUID } from "node:crypto";
import should from "should";
import type { EventEnvelope, EventPage, Operation, Wallet } from "../../src/protocol/index.ts";
import { generatePrivateKey, localEcdsaSigner } from "../../src/signing/index.ts";
import { callOf, signedOperation } from "./signed-operation.ts";
import { type Api, startTestService } from "./support.ts";

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
