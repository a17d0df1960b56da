import { mock } from "node:test";
import should from "should";
import type { Operation, Query, Wallet } from "../../src/protocol/index.ts";
import { generatePrivateKey, localEcdsaSigner } from "../../src/signing/index.ts";
import { eventually } from "../../test/support/eventually.ts";
import { type RunningService, startService } from "../src/index.ts";
import { Events } from "../src/store/events/events.ts";
import { useOwnNode } from "./own-node.ts";
import { RpcProxy } from "./rpc-proxy.ts";
import { callOf, signatureOf, signedOperation } from "./signed-operation.ts";
import { type Answer, Api, BLOCK_TIME_MS } from "./support.ts";

type Refused = { code?: string; message: string };
const NOT_FINALIZABLE = { status: 409, body: { type: "CONFLICT", code: "OPERATION_NOT_FINALIZABLE" } };
const WALLET_ARCHIVED = { status: 409, body: { type: "CONFLICT", code: "WALLET_ALREADY_ARCHIVED" } };
const LATE = { status: 409, body: { type: "CONFLICT", code: "OPERATION_DEADLINE_ELAPSED" } };

describe("what changes while the node is held", function () {
  this.timeout(60_000);
  const own = useOwnNode();
  const signer = localEcdsaSigner(generatePrivateKey());
  let proxy: RpcProxy;
  let service: RunningService;
  let api: Api;
  let wallets: Wallet[];

  before(async () => {
    proxy = await RpcProxy.start(own.node.rpcUrl);
    service = await startService({
      dataDir: `${own.folder.path}/data`,
      rpcUrl: proxy.url,
      blockTimeMs: BLOCK_TIME_MS,
    });
    api = new Api(service.ready);
    const created = await Promise.all(["first", "second", "third"].map(newWallet));
    wallets = await Promise.all(
      created.map(({ wallet_id }) => api.until<Wallet>(`/wallets/${wallet_id}`, "deployed")),
    );
  });
  afterEach(() => {
    proxy.fateOf = () => undefined;
    mock.restoreAll();
  });
  after(async () => {
    await service.close();
    proxy.close();
  });

  const newWallet = (name: string) => api.wallet(signer.address, name);
  const archive = (path: string) => api.ok("PATCH", path, { status: "archived" });
  const walletAt = (index: number) => wallets[index] as Wallet;
  const signed = (wallet: Wallet, change: object = {}) =>
    signedOperation(api, signer, wallet.address, [callOf(api, "Counter", "increment")], change);
  const pathOf = (channelId: string, operation: Operation) =>
    `/channels/${channelId}/operations/${operation.operation_id}`;
  const draftIn = async (channelId: string, wallet: Wallet, change: object = {}) => {
    const { signature, ...draft } = (await signed(wallet, change)) as { signature: string };
    const created = await api.ok<Operation>("POST", `/channels/${channelId}/operations`, draft);
    const own = await signatureOf(api, signer, draft as never);
    const finalized = () =>
      api.call<Refused>("PATCH", pathOf(channelId, created), { status: "accepted", ...own });
    return { created, path: pathOf(channelId, created), finalized };
  };
  /** The answer to a request while which `change` happened: calls of this method have no answer until then. */
  const during = async <T>(
    method: string,
    change: (asked: () => number) => Promise<unknown>,
    request: () => Promise<T>,
  ) => {
    const held = Promise.withResolvers<void>();
    let asked = 0;
    proxy.fateOf = async (call) => {
      if (call.method !== method) return undefined;
      asked += 1;
      await held.promise;
      return undefined;
    };
    const answer = request();
    await eventually(`${method} to be asked`, () => asked);
    await change(() => asked);
    held.resolve();
    return await answer;
  };
  /** Sets the clock forward until the end of the test. */
  const later = async (seconds: number) => {
    const { now } = Date;
    mock.method(Date, "now", () => now() + seconds * 1000);
  };
  const operationsOf = async (channelId: string) =>
    (await api.ok<{ data: Operation[] }>("GET", `/channels/${channelId}/operations`)).data;

  it("no operation is created in a channel that was archived meanwhile", async () => {
    const channelId = await api.channel();
    const operation = await signed(walletAt(0));
    const answer = await during(
      "eth_call",
      () => archive(`/channels/${channelId}`),
      () => api.call<Refused>("POST", `/channels/${channelId}/operations`, operation),
    );
    answer.should.containDeep({ status: 400, body: { type: "VALIDATION_ERROR" } });
    should(answer.body.message).match(/archived/);
    should(await operationsOf(channelId)).eql([]);
  });

  it("no operation is created for a wallet that was archived meanwhile", async () => {
    const channelId = await api.channel();
    const operation = await signed(walletAt(1));
    const answer = await during(
      "eth_call",
      () => archive(`/wallets/${walletAt(1).wallet_id}`),
      () => api.call<Refused>("POST", `/channels/${channelId}/operations`, operation),
    );
    answer.should.containDeep(WALLET_ARCHIVED);
    should(await operationsOf(channelId)).eql([]);
  });

  it("no operation is created when its deadline passed meanwhile", async () => {
    const channelId = await api.channel();
    const operation = await signed(walletAt(0), { deadline: Math.floor(Date.now() / 1000) + 60 });
    const answer = await during(
      "eth_call",
      () => later(61),
      () => api.call<Refused>("POST", `/channels/${channelId}/operations`, operation),
    );
    answer.should.containDeep({ status: 400, body: { message: "deadline has passed already." } });
    should(await operationsOf(channelId)).eql([]);
  });

  it("of requests with one id, held together, one creates an operation", async () => {
    const channelId = await api.channel();
    const operation = await signed(walletAt(0));
    const path = `/channels/${channelId}/operations`;
    const create = () => api.call<Refused>("POST", path, operation);
    const answers = await during(
      "eth_call",
      (asked) => eventually("three calls", () => asked() === 3),
      () => Promise.all([create(), create(), create()]),
    );
    should(answers.map(({ status }) => status).sort()).eql([201, 409, 409]);
  });

  it("no draft is finalized whose channel or wallet was archived, or that was cancelled, meanwhile", async () => {
    const cases: Array<[Wallet, (channelId: string, path: string) => Promise<unknown>, object, string]> = [
      [walletAt(0), (channelId) => archive(`/channels/${channelId}`), NOT_FINALIZABLE, "pending_signature"],
      [walletAt(2), () => archive(`/wallets/${walletAt(2).wallet_id}`), WALLET_ARCHIVED, "pending_signature"],
      [
        walletAt(0),
        (_, path) => api.ok("PATCH", path, { status: "cancelled" }),
        NOT_FINALIZABLE,
        "cancelled",
      ],
    ];
    for (const [wallet, change, expected, status] of cases) {
      const channelId = await api.channel();
      const { path, finalized } = await draftIn(channelId, wallet);
      const answer = await during("eth_call", () => change(channelId, path), finalized);
      answer.should.containDeep(expected);
      should((await api.ok<Operation>("GET", path)).status).equal(status);
    }
  });

  it("no draft is finalized whose deadline came too close meanwhile", async () => {
    const deadline = Math.floor(Date.now() / 1000) + 120;
    const { path, finalized } = await draftIn(await api.channel(), walletAt(0), { deadline });
    (await during("eth_call", () => later(61), finalized)).should.containDeep(LATE);
    should((await api.ok<Operation>("GET", path)).status).equal("pending_signature");
  });

  it("a draft of an archived channel is not finalized, and can be cancelled", async () => {
    const channelId = await api.channel();
    const { path, finalized } = await draftIn(channelId, walletAt(0));
    await archive(`/channels/${channelId}`);
    const answer: Answer<Refused> = await finalized();
    answer.should.containDeep(NOT_FINALIZABLE);
    should(answer.body.message).match(/channel .* archived/);
    should((await api.ok<Operation>("PATCH", path, { status: "cancelled" })).status).equal("cancelled");
  });

  it("the node's newest block is asked for again, by a create and by a query", async () => {
    const channelId = await api.channel();
    const operation = await signed(walletAt(0));
    const refused = { eth_call: "BlockOutOfRangeError: …", eth_getCode: "missing trie node 6d2c" };
    const left = new Map(Object.entries(refused));
    proxy.fateOf = ({ method }) => {
      const message = left.get(method);
      return left.delete(method) ? { error: { code: -32000, message: String(message) } } : undefined;
    };
    const created = await api.call("POST", `/channels/${channelId}/operations`, operation);
    should(created.status).equal(201);
    const path = `/channels/${channelId}/queries`;
    const { query_id } = await api.ok<Query>("POST", path, {
      idempotency_key: "asked again",
      query_kind: "evm_call",
      chain_selector: api.ready.chain_selector,
      params: {
        contract_address: api.ready.contracts.DemoToken,
        call_data: "0x18160ddd",
        block_selection: { type: "latest" },
      },
    });
    const { status } = await api.until<Query>(`${path}/${query_id}`, "completed", "failed");
    should([status, left.size]).eql(["completed", 0]);
  });

  it("an operation that was accepted before runs on", async () => {
    const channelId = await api.channel();
    const { wallet_id } = await newWallet("fourth");
    const wallet = await api.until<Wallet>(`/wallets/${wallet_id}`, "deployed");
    const operation = await signed(wallet);
    const accepted = await during(
      "eth_sendRawTransaction",
      () => Promise.all([archive(`/channels/${channelId}`), archive(`/wallets/${wallet_id}`)]),
      () => api.ok<Operation>("POST", `/channels/${channelId}/operations`, operation),
    );
    await api.until<Operation>(pathOf(channelId, accepted), "confirmed_latest", "confirmed");
  });

  it("no wallet is deployed that was archived while its deployment was prepared", async () => {
    const sent: unknown[] = [];
    const { wallet_id } = await during(
      "eth_getTransactionCount",
      async () => {
        const { data } = await api.ok<{ data: Wallet[] }>("GET", "/wallets?name=fifth");
        await archive(`/wallets/${data[0]?.wallet_id}`);
      },
      () => newWallet("fifth"),
    );
    proxy.fateOf = ({ method, params }) => {
      if (method === "eth_sendRawTransaction") sent.push(params);
      return undefined;
    };
    const { wallet_id: next } = await newWallet("sixth");
    await api.until<Wallet>(`/wallets/${next}`, "deployed");
    should(sent.length).equal(1);
    should((await api.ok<Wallet>("GET", `/wallets/${wallet_id}`)).status).equal("archived");
  });

  it("a watcher gets its new name and its new status together, or neither", async () => {
    const channelId = await api.channel();
    const watcher = await api.transferWatcher(channelId, "before");
    const path = `/channels/${channelId}/watchers/${watcher.watcher_id}`;
    mock.method(Events.prototype, "append", () => {
      throw new Error("not stored");
    });
    const failed = await api.call("PATCH", path, { name: "after", status: "archived" });
    mock.restoreAll();
    should(failed.status).equal(500);
    (await api.ok("GET", path)).should.containDeep({ name: "before", status: "active" });
    (await api.ok("PATCH", path, { name: "after", status: "archived" })).should.containDeep({
      name: "after",
    });
  });
});
