import { randomUUID } from "node:crypto";
import should from "should";
import { encodeFunctionData } from "viem";
import { verifyEvent, verifyQuery } from "../../src/proofs/index.ts";
import type { EventEnvelope, Query, VerifiableResult } from "../../src/protocol/index.ts";
import { artifact } from "../src/chain/demo/contracts.ts";
import { type Api, startTestService } from "./support.ts";

describe("queries of the local service", function () {
  this.timeout(120_000);
  let api: Api;
  let dispose: () => Promise<void>;
  let channelId: string;

  before(async () => {
    ({ api, dispose } = await startTestService());
    channelId = await api.channel();
  });
  after(() => dispose());

  const callData = (
    functionName: string,
    args: unknown[] = [],
    contract: "DemoToken" | "Counter" = "DemoToken",
  ) => encodeFunctionData({ abi: artifact(contract).abi, functionName, args });
  const body = (params: object, change: object = {}) => ({
    idempotency_key: randomUUID(),
    query_kind: "evm_call",
    chain_selector: api.ready.chain_selector,
    params: {
      contract_address: api.ready.contracts.DemoToken,
      call_data: callData("totalSupply"),
      block_selection: { type: "latest" },
      ...params,
    },
    ...change,
  });
  const ask = async (request: object) => {
    const { query_id } = await api.ok<{ query_id: string }>(
      "POST",
      `/channels/${channelId}/queries`,
      request,
    );
    const path = `/channels/${channelId}/queries/${query_id}`;
    const query = await api.until<Query>(path, "completed", "failed", "expired");
    const text = Buffer.from(query.verifiable_result ?? "", "base64").toString();
    return { query, data: (JSON.parse(text) as VerifiableResult).data };
  };
  const verification = () => ({
    workflowOwner: api.ready.workflow_owner,
    validSigners: api.ready.valid_signers,
    minRequiredSignatures: api.ready.min_required_signatures,
  });

  it("are answered at a given block, signed, with an event for each status", async () => {
    const { query, data } = await ask(body({ block_selection: { type: "finalized" } }));
    should(query.status).equal("completed");
    should(BigInt(data.result?.raw_return_data ?? 0)).equal(10n ** 24n);
    should(data.block_selection.resolved?.block_hash).match(/^0x[0-9a-f]{64}$/);
    should(data.target.from_address).equal(`0x${"0".repeat(40)}`);
    should((await verifyQuery(query, verification())).verified).be.true();
    const events = (await api.events(channelId)).filter((event) => event.payload.query_id === query.query_id);
    events.map((event) => event.payload.status).should.eql(["accepted", "sending", "sent", "completed"]);
    const last = events.at(-1) as EventEnvelope;
    should((await verifyEvent(last, verification())).verified).be.true();
  });

  it("read the state of an old block", async () => {
    const holder = "0x00000000000000000000000000000000000000c3";
    const paid = await api.ok<{ block_number: number }>("POST", "/local/faucet", { to: holder, amount: "5" });
    await api.ok("POST", "/local/faucet", { to: holder, amount: "6" });
    const balance = async (selection: object) => {
      const { data } = await ask(
        body({ call_data: callData("balanceOf", [holder]), block_selection: selection }),
      );
      return Number(data.result?.raw_return_data);
    };
    (await balance({ type: "block_number", block_number: String(paid.block_number) })).should.equal(5);
    (await balance({ type: "latest" })).should.equal(11);
  });

  it("fail with a signed error", async () => {
    const reverted = await ask(
      body({
        contract_address: api.ready.contracts.Counter,
        call_data: callData("failWithReason", ["no"], "Counter"),
      }),
    );
    should(reverted.query.status).equal("failed");
    should(reverted.data.error).containDeep({ code: "CALL_REVERTED", message: "no" });
    should(reverted.data.error?.raw_revert_data).match(/^0x08c379a0/);
    should((await verifyQuery(reverted.query, verification())).verified).be.true();

    const nowhere = await ask(body({ contract_address: `0x${"12".repeat(20)}` }));
    should(nowhere.data.error?.code).equal("CONTRACT_NOT_FOUND");
    const future = await ask(body({ block_selection: { type: "block_number", block_number: "99999999" } }));
    should(future.data.error?.code).equal("BLOCK_SELECTION_NOT_AVAILABLE");
  });

  it("are created once for one idempotency key", async () => {
    const request = body({});
    const path = `/channels/${channelId}/queries`;
    const first = await api.call("POST", path, request);
    should(first.status).equal(202);
    should(first.body.status).equal("accepted");
    const second = await api.call("POST", path, request);
    should(second.status).equal(202);
    should(second.body.query_id).equal(first.body.query_id);
    const other = await api.call("POST", path, { ...request, metadata: { a: 1 } });
    other.should.containDeep({ status: 409, body: { type: "CONFLICT", code: "IDEMPOTENCY_KEY_MISMATCH" } });
  });

  it("are the same for numbers that JSON changes", async () => {
    const path = `/channels/${channelId}/queries`;
    const text = JSON.stringify(body({}, { metadata: "numbers" })).replace('"numbers"', '{"a":-0,"b":1e999}');
    const [first, second] = [await api.call("POST", path, text), await api.call("POST", path, text)];
    should(first.status).equal(202);
    second.should.containDeep({ status: 202, body: { query_id: first.body.query_id } });
  });

  it("are refused when they are invalid", async () => {
    const refused = async (change: object, params: object = {}) => {
      const answer = await api.call<{ message: string }>(
        "POST",
        `/channels/${channelId}/queries`,
        body(params, change),
      );
      should(answer.status).equal(400);
      return answer.body.message;
    };
    (await refused({ query_kind: "sql" })).should.match(/^query_kind must be one of evm_call/);
    (await refused({}, { block_selection: { type: "pending" } })).should.match(
      /^params\.block_selection must be one of/,
    );
    (await refused({ metadata: { text: "x".repeat(20_000) } })).should.match(
      /^metadata must have at most 16384 bytes/,
    );
    for (const metadata of ["text", 5, null, ["a"]]) {
      (await refused({ metadata })).should.match(/^metadata must be an object/);
    }
    for (const call_data of ["18160ddd", "0X18160ddd", "0x1", "0xzz", ""]) {
      (await refused({}, { call_data })).should.match(/^params\.call_data must be call data: 0x and/);
    }
    (await refused({ name: "mine" })).should.equal("The body takes no field name.");
    (await refused({}, { gas: "1" })).should.equal("params takes no field gas.");
    (await refused({}, { block_selection: { type: "latest", block_number: "5" } })).should.match(
      /^params\.block_selection must be one of/,
    );
  });
});
