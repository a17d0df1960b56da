import { mock } from "node:test";
import should from "should";
import { verifyQuery } from "../../src/proofs/index.ts";
import type { EventEnvelope, Operation, Query, VerifiableResult, Wallet } from "../../src/protocol/index.ts";
import { generatePrivateKey, localEcdsaSigner, randomWalletOperationId } from "../../src/signing/index.ts";
import type { ContractName } from "../src/chain/demo/contracts.ts";
import { accountAddress } from "../src/chain/smart-account.ts";
import type { Context } from "../src/context.ts";
import { startService } from "../src/index.ts";
import { InjectedFailures } from "../src/injected-failures/index.ts";
import { operationStatuses } from "../src/lifecycles/operations/operation.ts";
import { expireQueries, QueryRunner } from "../src/lifecycles/query.ts";
import { bytesOf } from "../src/store/events/pages.ts";
import { Store } from "../src/store/store.ts";
import { callOf, signedOperation } from "./signed-operation.ts";
import { Api, BLOCK_TIME_MS, startTestService, temporaryFolder } from "./support.ts";
import { rpc } from "./transactions.ts";

describe("lifecycles that fail", function () {
  this.timeout(120_000);
  const signer = localEcdsaSigner(generatePrivateKey());
  let api: Api;
  let dispose: () => Promise<void>;
  let channelId: string;
  let wallet: Wallet;

  before(async () => {
    ({ api, dispose } = await startTestService());
    channelId = await api.channel();
    const { wallet_id } = await newWallet("first");
    wallet = await api.until<Wallet>(`/wallets/${wallet_id}`, "deployed");
  });
  after(() => dispose());

  const newWallet = (name: string) => api.wallet(signer.address, name, { status_channel_id: channelId });
  const call = (contract: ContractName, functionName: string, args: unknown[] = [], value = "0") =>
    callOf(api, contract, functionName, args, value);
  const submit = async (transactions: object[], change: object = {}) => {
    const operation = await signedOperation(api, signer, wallet.address, transactions, change);
    return await api.call<Operation>("POST", `/channels/${channelId}/operations`, operation);
  };
  const path = ({ operation_id }: Operation) => `/channels/${channelId}/operations/${operation_id}`;
  const told = async (member: string, id: string) => {
    const events = (await api.events(channelId)).filter((event) => event.payload[member] === id);
    return { statuses: events.map((event) => event.payload.status), last: events.at(-1) as EventEnvelope };
  };

  it("a wallet fails when its deployment fails on the chain, and reports it in its status channel", async () => {
    await api.ok("POST", "/local/failures", { kind: "deployment", reason: "out of gas, as asked" });
    const deployed = wallet;
    const { wallet_id } = await newWallet("unlucky");
    const failed = await api.until<Wallet>(`/wallets/${wallet_id}`, "failed", "deployed");
    should(failed.status).equal("failed");
    const address = accountAddress(api.ready.contracts.SmartAccountFactory as `0x${string}`, wallet_id);
    should(await rpc(api, "eth_getCode", [address, "latest"])).equal("0x");
    const { statuses, last } = await told("wallet_id", wallet_id);
    should(statuses).eql(["pending", "deploying", "failed"]);
    should(last.payload).containEql({ status_reason: "out of gas, as asked", address: "" });
    should(last.headers.proofs).be.empty();
    wallet = { ...deployed, address };
    const refused = await submit([call("Counter", "increment")]);
    wallet = deployed;
    should(refused.status).equal(400);
    should(refused.body).have.property("message", "The wallet is failed; wait until it is deployed.");
    const next = await newWallet("luckier");
    await api.until<Wallet>(`/wallets/${next.wallet_id}`, "deployed");
    await api.ok("PATCH", `/wallets/${wallet_id}`, { status: "archived" });
    should((await told("wallet_id", wallet_id)).statuses.at(-1)).equal("archived");
  });

  it("an operation has 1 to 16 transactions, moves coins, and fails without those", async () => {
    const receiver = "0x00000000000000000000000000000000000000C9";
    const pay = (value: string) => ({ to: receiver, value, data: "0x" });
    const poor = await submit([pay("1")]);
    await api.until<Operation>(path(poor.body), "failed");
    await api.ok("POST", "/local/faucet", { to: wallet.address, amount: "1000", token: "native" });
    const many = await submit([
      ...Array.from({ length: 15 }, () => pay("2")),
      call("Counter", "add", [3n], "5"),
    ]);
    await api.until<Operation>(path(many.body), "confirmed");
    should(BigInt(await rpc<string>(api, "eth_getBalance", [receiver, "latest"]))).equal(30n);
    should(BigInt(await rpc<string>(api, "eth_getBalance", [wallet.address, "latest"]))).equal(965n);
    const draft = {
      ...many.body,
      signature: undefined,
      transactions: Array.from({ length: 17 }, () => pay("0")),
    };
    should((await api.call("POST", `/channels/${channelId}/operations`, draft)).status).equal(400);
  });

  it("an operation fails when a tester asks for it, and its id can be used again", async () => {
    await api.ok("POST", "/local/failures", { kind: "operation", reason: "the relay gave up" });
    const id = { wallet_operation_id: randomWalletOperationId() };
    const { body } = await submit([call("Counter", "increment")], id);
    await api.until<Operation>(path(body), "failed");
    const { statuses, last } = await told("operation_id", body.operation_id);
    should(statuses).eql(["accepted", "sending", "failed"]);
    should(last.payload.status_reason).equal("the relay gave up");
    const again = await submit([call("Counter", "increment")], id);
    await api.until<Operation>(path(again.body), "confirmed");
    should((await submit([call("Counter", "increment")], id)).status).equal(409);
  });

  it("a query that the gateway rejects fails with a signed error", async () => {
    await api.ok("POST", "/local/failures", { kind: "query", reason: "the gateway is full" });
    const { query_id } = await api.ok<Query>(
      "POST",
      `/channels/${channelId}/queries`,
      totalSupply("rejected"),
    );
    const failed = await api.until<Query>(`/channels/${channelId}/queries/${query_id}`, "failed");
    should((await told("query_id", query_id)).statuses).eql(["accepted", "sending", "failed"]);
    should(failed.failed_at).be.a.Number();
    const { data } = JSON.parse(
      Buffer.from(failed.verifiable_result ?? "", "base64").toString(),
    ) as VerifiableResult;
    should(data.error).eql({ code: "CRE_GATEWAY_REJECTED", message: "the gateway is full" });
    const verdict = await verifyQuery(failed, {
      workflowOwner: api.ready.workflow_owner,
      validSigners: api.ready.valid_signers,
      minRequiredSignatures: api.ready.min_required_signatures,
    });
    should(verdict.verified).be.true();
  });

  const totalSupply = (key: string) => ({
    idempotency_key: key,
    query_kind: "evm_call",
    chain_selector: api.ready.chain_selector,
    params: {
      contract_address: api.ready.contracts.DemoToken,
      call_data: "0x18160ddd",
      block_selection: { type: "latest" },
    },
  });

  it("a query expires after its time to live, and is not answered later", async () => {
    const folder = temporaryFolder();
    const options = { dataDir: folder.path, blockTimeMs: BLOCK_TIME_MS };
    const first = await startService(options);
    const channel = await new Api(first.ready).channel();
    await first.close();
    const store = new Store(folder.path);
    const left = { query_id: "11111111-1111-4111-8111-111111111111", channel_id: channel };
    store.queries.create({
      ...left,
      idempotencyKey: "left",
      query_kind: "evm_call",
      chain_selector: first.ready.chain_selector,
      params: {
        contract_address: first.ready.contracts.DemoToken ?? "",
        call_data: "0x18160ddd",
        block_selection: { type: "latest" },
        from_address: `0x${"0".repeat(40)}`,
      },
      metadata: undefined,
      expiresAt: Math.floor(Date.now() / 1000) - 10,
    });
    store.close();
    const second = await startService(options);
    try {
      const later = new Api(second.ready);
      const expired = await later.until<Query>(`/channels/${channel}/queries/${left.query_id}`, "expired");
      should(expired.verifiable_result).be.undefined();
      should(expired.expired_at).be.a.Number();
      (await later.events(channel)).map((event) => event.payload.status).should.eql(["expired"]);
    } finally {
      await second.close();
      folder.dispose();
    }
  });

  it("a query that expires while the chain is asked stays expired", async () => {
    const folder = temporaryFolder();
    const store = new Store(folder.path);
    const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<undefined>()];
    const block = () => {
      asked.resolve();
      return answered.promise;
    };
    const attest = async () => ({ text: "", hash: "0x", proof: {} });
    const injected = new InjectedFailures();
    const context = { store, injected, chain: { block }, oracles: { attest } } as unknown as Context;
    try {
      const { channel_id } = store.channels.create({ name: "late" });
      const runner = new QueryRunner(context);
      const { query } = runner.create({
        channel_id,
        idempotencyKey: "late",
        query_kind: "evm_call",
        chain_selector: "1",
        params: {
          contract_address: `0x${"1".repeat(40)}`,
          call_data: "0x18160ddd",
          block_selection: { type: "block_number", block_number: "1" },
          from_address: `0x${"0".repeat(40)}`,
        },
        metadata: undefined,
      });
      await asked.promise;
      mock.timers.enable({ apis: ["Date"], now: (Number(query.expires_at) + 1) * 1_000 });
      should(expireQueries(context)).equal(1);
      answered.resolve(undefined);
      await runner.stop();
      const { events } = JSON.parse(
        String(await bytesOf(await store.events.poll(channel_id, { offset: 1, limit: 9 }))),
      );
      should((events as EventEnvelope[]).map(({ payload }) => payload.status)).eql([
        "accepted",
        "sending",
        "sent",
        "expired",
      ]);
    } finally {
      mock.timers.reset();
      store.close();
      folder.dispose();
    }
  });

  it("a status and its event are stored together or not at all", () => {
    const folder = temporaryFolder();
    const store = new Store(folder.path);
    try {
      const operation = {
        operation_id: "22222222-2222-4222-8222-222222222222",
        walletId: "wallet",
        chain_selector: "1",
        address: "0x00000000000000000000000000000000000000d1",
        wallet_operation_id: "1",
        deadline: 0,
        transactions: [],
        signature: null,
        digest: "0x01",
        initiator: { subject_type: "api_key", subject_id: "key" },
      } as const;
      const { channel_id: channelId } = store.channels.create({ name: "kept" });
      const create = (to: string) =>
        operationStatuses.create(store, () => {
          store.operations.create({ ...operation, channelId: to, transactions: [], status: "accepted" });
          return operation.operation_id;
        });
      // No event can be appended to a channel that does not exist.
      should(() => create("nowhere")).throw(/no channel/);
      should(store.operations.get(operation.operation_id)).be.undefined();
      create(channelId);
      const events = () => store.counts().events;
      for (const [to, moves] of [
        ["sent", false],
        ["accepted", false],
        ["sending", true],
        ["sending", false],
        ["sent", true],
        ["cancelled", false],
      ] as const) {
        const before = events();
        should(operationStatuses.move(store, operation.operation_id, to) !== undefined).equal(moves);
        should(events()).equal(before + (moves ? 1 : 0));
      }
    } finally {
      store.close();
      folder.dispose();
    }
  });

  it("an operation expires when its deadline passes while it is relayed", async () => {
    // The chain's clock is what the wallet goes by. Last, since it stays ahead.
    await rpc(api, "evm_increaseTime", [1000]);
    const { body } = await submit([call("Counter", "increment")], {
      deadline: Math.floor(Date.now() / 1000) + 300,
    });
    await api.until<Operation>(path(body), "expired");
    const { statuses, last } = await told("operation_id", body.operation_id);
    should(statuses).eql(["accepted", "sending", "sent", "broadcasting", "expired"]);
    should(last.payload.status_reason).match(
      /^the deadline passed on the chain, whose newest block is \d+ s ahead/,
    );
    should(last.headers.proofs).be.empty();
  });
});
