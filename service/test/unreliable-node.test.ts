import { join } from "node:path";
import should from "should";
import { encodeFunctionData, keccak256 } from "viem";
import type {
  EventEnvelope,
  Hex,
  Operation,
  Query,
  VerifiableEvent,
  VerifiableResult,
  Wallet,
} from "../../src/protocol/index.ts";
import {
  generatePrivateKey,
  localEcdsaSigner,
  operationDigest,
  operationTypedData,
  randomWalletOperationId,
} from "../../src/signing/index.ts";
import { eventually } from "../../test/support/eventually.ts";
import { type Anvil, startAnvil } from "../src/chain/anvil/anvil.ts";
import { artifact } from "../src/chain/demo/contracts.ts";
import { type RunningService, startService } from "../src/index.ts";
import { type Fate, RpcProxy } from "./rpc-proxy.ts";
import { Api, BLOCK_TIME_MS, logTo, signedText, startTestService, temporaryFolder } from "./support.ts";

describe("the local service on a node that is not reliable", function () {
  this.timeout(120_000);
  const signer = localEcdsaSigner(generatePrivateKey());
  const lines: string[] = [];
  let folder: ReturnType<typeof temporaryFolder>;
  let node: Anvil;
  let proxy: RpcProxy;
  let service: RunningService;
  let api: Api;
  let channelId: string;
  let wallet: Wallet;

  before(async () => {
    folder = temporaryFolder();
    node = await startAnvil(join(folder.path, "node"));
    proxy = await RpcProxy.start(node.rpcUrl);
    service = await startService({
      dataDir: join(folder.path, "data"),
      rpcUrl: `${proxy.url}/v3/secret-key`,
      blockTimeMs: BLOCK_TIME_MS,
      local: true,
      log: logTo((line) => lines.push(line)),
    });
    api = new Api(service.ready);
    channelId = await api.channel();
    const { wallet_id } = await newWallet("first");
    wallet = await api.until<Wallet>(`/wallets/${wallet_id}`, "deployed");
  });
  afterEach(() => {
    proxy.fateOf = () => undefined;
  });
  after(async () => {
    await service.close();
    proxy.close();
    await node.stop();
    folder.dispose();
  });

  const newWallet = (name: string) => api.wallet(signer.address, name);
  const submit = async (functionName: string, args: unknown[] = []) => {
    const data = encodeFunctionData({ abi: artifact("Counter").abi, functionName, args });
    const operation = {
      chain_selector: api.ready.chain_selector,
      address: wallet.address,
      wallet_operation_id: randomWalletOperationId(),
      deadline: 0,
      transactions: [{ to: api.ready.contracts.Counter ?? "", value: "0", data }],
    };
    const input = { ...operation, id: operation.wallet_operation_id, account: operation.address };
    const digest = operationDigest(input, api.ready.chain_id);
    const typedData = operationTypedData(input, api.ready.chain_id);
    const signature = await signer.sign({ digest, typedData });
    const body = { ...operation, signature };
    return await api.ok<Operation>("POST", `/channels/${channelId}/operations`, body);
  };
  const path = (operation: Operation) => `/channels/${channelId}/operations/${operation.operation_id}`;
  const reasonOf = (events: EventEnvelope[], operation: Operation) =>
    events.findLast((event) => event.payload.operation_id === operation.operation_id)?.payload.status_reason;
  /** The next call of the method meets this fate, later ones are left alone. */
  const once = (method: string, fate: Fate) => {
    let met = false;
    proxy.fateOf = (call) => {
      if (met || call.method !== method) return undefined;
      met = true;
      return fate;
    };
    return () => met;
  };

  /** A call of the node itself, past the proxy. */
  const rpc = async <T>(method: string, params: unknown[]): Promise<T> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = { "content-type": "application/json" };
    const answer = await fetch(node.rpcUrl, { method: "POST", headers, body });
    return ((await answer.json()) as { result: T }).result;
  };

  it("reads logs in shorter ranges where the node refuses long ones", async () => {
    type Range = { from: number; to: number };
    const [refused, accepted]: [Range[], Range[]] = [[], []];
    let held: PromiseWithResolvers<void> | undefined;
    let asked = 0;
    proxy.fateOf = async ({ method, params }) => {
      if (method !== "eth_getLogs") return undefined;
      asked += 1;
      await held?.promise;
      const { fromBlock, toBlock } = params[0] as Record<"fromBlock" | "toBlock", Hex>;
      const range = { from: Number(fromBlock), to: Number(toBlock) };
      const isShort = range.to - range.from < 3;
      (isShort ? accepted : refused).push(range);
      return isShort ? undefined : { error: { code: -32005, message: "query exceeds max block range 3" } };
    };
    const { watcher_id } = await api.ok<{ watcher_id: string }>("POST", `/channels/${channelId}/watchers`, {
      name: "ranges",
      chain_selector: api.ready.chain_selector,
      address: api.ready.contracts.DemoToken,
      events: ["Transfer"],
      abi: artifact("DemoToken").abi.filter((item) => item.type === "event" && item.name === "Transfer"),
    });
    await api.until(`/channels/${channelId}/watchers/${watcher_id}`, "active");
    // This has no answer until the blocks with the transfer are there, so all of them are asked for next.
    held = Promise.withResolvers();
    asked = 0;
    await rpc("evm_mine", []);
    await eventually("a request for logs", () => asked);
    const paying = api.ok<{ block_number: number }>("POST", "/local/faucet", {
      to: signer.address,
      amount: "7",
    });
    await eventually(
      "the payment to wait for a block",
      () => rpc<{ pending: Hex }>("txpool_status", []),
      ({ pending }) => Number(pending) > 0,
    );
    await rpc("anvil_mine", ["0x14"]);
    held.resolve();
    const paid = await paying;
    const event = await eventually("the transfer", async () =>
      (await api.events(channelId)).find(
        ({ payload }) => payload.watcher_id === watcher_id && payload.verifiable_event,
      ),
    );
    should(signedText<VerifiableEvent>(event).chain_event?.params?.value).equal("7");
    const hasIt = ({ from, to }: Range) => from <= paid.block_number && paid.block_number <= to;
    should(refused.some(hasIt)).be.true(JSON.stringify(refused));
    should(accepted.some(hasIt)).be.true(JSON.stringify(accepted));
  });

  it("treats an operation as executed when its transaction arrived but the answer was lost", async () => {
    const lost = once("eth_sendRawTransaction", "lose answer");
    const operation = await submit("increment");
    const done = await api.until<Operation>(path(operation), "confirmed_latest", "failed");
    should(lost()).be.true();
    should(done.status).equal("confirmed_latest");
  });

  it("pays once when the answer to the payment was lost", async () => {
    const lost = once("eth_sendRawTransaction", "lose answer");
    const to = "0x00000000000000000000000000000000000000E5";
    const paid = await api.call("POST", "/local/faucet", { to, amount: "5", token: "native" });
    should(lost()).be.true();
    should(paid.status).equal(200);
  });

  it("waits for a payment while the node is indexing transactions", async () => {
    let asked = 0;
    proxy.fateOf = ({ method }) => {
      if (method !== "eth_getTransactionReceipt") return undefined;
      asked += 1;
      const message = "transaction indexing is in progress";
      return asked <= 3 ? { error: { code: -32000, message } } : undefined;
    };
    const paid = await api.call("POST", "/local/faucet", { amount: "5" });
    should(paid.status).equal(200);
    should(asked).be.above(3);
  });

  it("deploys a wallet when the node first refuses its transaction as too late or too cheap", async () => {
    const refused = once("eth_sendRawTransaction", { error: { code: -32000, message: "nonce too low" } });
    const created = await newWallet("second");
    const done = await api.until<Wallet>(`/wallets/${created.wallet_id}`, "deployed", "failed");
    should(refused()).be.true();
    should(done.status).equal("deployed");
  });

  it("makes a deployment fail as asked, when the node first refuses it as too late", async () => {
    await api.ok("POST", "/local/failures", { kind: "deployment", reason: "no gas left" });
    const refused = once("eth_sendRawTransaction", { error: { code: -32000, message: "nonce too low" } });
    const created = await newWallet("third");
    const done = await api.until<Wallet>(`/wallets/${created.wallet_id}`, "deployed", "failed");
    should(refused()).be.true();
    should(done.status).equal("failed");
  });

  it("reports the node's message of a refusal", async () => {
    once("eth_sendRawTransaction", { error: { code: -32000, message: "exceeds block gas limit" } });
    const operation = await submit("increment");
    await api.until<Operation>(path(operation), "failed");
    should(reasonOf(await api.events(channelId), operation)).equal("exceeds block gas limit");
  });

  it("retries an operation when the node says that its coins are reserved", async () => {
    const error = { code: -32003, message: "insufficient funds for gas * price + value" };
    const refused = once("eth_sendRawTransaction", { error });
    const operation = await submit("increment");
    const done = await api.until<Operation>(path(operation), "confirmed_latest", "failed");
    should(refused()).be.true();
    should(done.status).equal("confirmed_latest");
  });

  it("ends a reverted operation without a stored reason, and continues with the next ones", async () => {
    // Of all calls only the look for a reason names a sender.
    proxy.fateOf = ({ method, params: [call] }) =>
      method === "eth_call" && Object.hasOwn(Object(call), "from")
        ? { error: { code: -32000, message: "missing trie node" } }
        : undefined;
    const [reverted, next] = [await submit("failWithReason", ["x"]), await submit("increment")];
    await api.until<Operation>(path(reverted), "failed");
    await api.until<Operation>(path(next), "confirmed_latest", "confirmed_safe", "confirmed");
    should(reasonOf(await api.events(channelId), reverted)).equal(
      "the transaction reverted; the chain does not keep the reason any more",
    );
  });

  it("does not delay operations because of one that it cannot follow", async () => {
    let stuckHash: unknown;
    proxy.fateOf = ({ method, params: [first] }) => {
      if (method === "eth_sendRawTransaction") stuckHash ??= keccak256(first as Hex);
      return method === "eth_getTransactionReceipt" && first === stuckHash
        ? { error: { code: -32000, message: "no such index" } }
        : undefined;
    };
    const stuck = await submit("increment");
    await api.until<Operation>(path(stuck), "sent");
    const next = await submit("increment");
    await api.until<Operation>(path(next), "confirmed_latest", "confirmed_safe", "confirmed");
    should((await api.ok<Operation>("GET", path(stuck))).status).equal("sent");
    lines.should.containEql(`Error with operation ${stuck.operation_id}: no such index`);
    proxy.fateOf = () => undefined;
    await api.until<Operation>(path(stuck), "confirmed_latest", "confirmed_safe", "confirmed");
  });

  it("proves a query's answer only for its block, also when the chain replaces it meanwhile", async () => {
    let replaced = false;
    proxy.fateOf = async ({ method }) => {
      if (method !== "eth_call" || replaced) return undefined;
      replaced = true;
      await rpc("anvil_reorg", [1, []]);
      return undefined;
    };
    const path = `/channels/${channelId}/queries`;
    const { query_id } = await api.ok<Query>("POST", path, {
      idempotency_key: "replaced",
      query_kind: "evm_call",
      chain_selector: api.ready.chain_selector,
      params: {
        contract_address: api.ready.contracts.DemoToken,
        call_data: "0x18160ddd",
        block_selection: { type: "latest" },
      },
    });
    const query = await api.until<Query>(`${path}/${query_id}`, "completed", "failed");
    should(replaced).be.true();
    should(query.status).equal("completed");
    const text = Buffer.from(query.verifiable_result ?? "", "base64").toString();
    const { resolved } = (JSON.parse(text) as VerifiableResult).data.block_selection;
    const number = `0x${Number(resolved?.block_number).toString(16)}`;
    const block = await rpc<{ hash: string }>("eth_getBlockByNumber", [number, false]);
    should(resolved?.block_hash).equal(block.hash);
  });

  it("shows only the public part of the node's URL", async () => {
    proxy.fateOf = () => "lose answer";
    await eventually("the error to be logged", () =>
      lines.some((line) => line.startsWith(`The chain at ${proxy.url} does not answer`)) ? true : undefined,
    );
    const error = await startService({
      dataDir: join(folder.path, "other"),
      rpcUrl: `${proxy.url}/v3/secret-key`,
    }).catch((problem: Error) => problem);
    String(error).should.match(/No EVM node answers at http:\/\/127\.0\.0\.1:\d+ \(/);
    [...lines, String(error)].join("\n").should.not.match(/secret-key/);
  });

  it("keeps the key in the node's URL out of its pages and answers", async () => {
    proxy.fateOf = () => undefined;
    const other = await startTestService({ rpcUrl: `${proxy.url}/v3/secret-key` });
    try {
      const status = await other.api.ok("GET", "/local/status");
      should(status.rpc_url).equal(proxy.url);
      const page = await (await fetch(other.api.ready.base_url)).text();
      should(JSON.stringify(status) + page).not.match(/secret-key/);
    } finally {
      await other.dispose();
    }
  });

  it("does not start on a mainnet", async () => {
    proxy.fateOf = ({ method }) => (method === "eth_chainId" ? { result: "0x1" } : undefined);
    const start = startService({ dataDir: join(folder.path, "other"), rpcUrl: proxy.url });
    await start.should.be.rejectedWith(/is of Ethereum, where everything costs real money/);
  });
});
