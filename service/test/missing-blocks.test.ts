import should from "should";
import type { Query, VerifiableResult, Wallet } from "../../src/protocol/index.ts";
import { generatePrivateKey, localEcdsaSigner } from "../../src/signing/index.ts";
import { type RunningService, startService } from "../src/index.ts";
import { useOwnNode } from "./own-node.ts";
import { type RpcCall, RpcProxy } from "./rpc-proxy.ts";
import { callOf, signedOperation } from "./signed-operation.ts";
import { Api, BLOCK_TIME_MS } from "./support.ts";

/** What nodes say while they replace the newest block, or do not have it yet. */
const SAID = [
  "BlockOutOfRangeError: block height is 11 but requested was 12",
  "Block not found",
  "header not found",
  "Received invalid block tag 12. Latest block number is 11",
  "Block 12 could not be found",
  "block not found: 12",
  "missing trie node 6d2c (path ) state 0x6d2c is not available, not found",
  "No state available for block 12",
  "no state found for block 12",
];
const OLD = "missing trie node 6d2c (path ) state 0x6d2c is not available, not found";
const TOTAL_SUPPLY = "0x18160ddd";

describe("a node that does not have a block", function () {
  this.timeout(60_000);
  const own = useOwnNode();
  const signer = localEcdsaSigner(generatePrivateKey());
  const stranger = localEcdsaSigner(generatePrivateKey());
  let proxy: RpcProxy;
  let service: RunningService;
  let api: Api;
  let channelId: string;
  let wallet: Wallet;

  before(async () => {
    proxy = await RpcProxy.start(own.node.rpcUrl);
    service = await startService({
      dataDir: `${own.folder.path}/data`,
      rpcUrl: proxy.url,
      blockTimeMs: BLOCK_TIME_MS,
      local: true,
    });
    api = new Api(service.ready);
    channelId = await api.channel();
    const { wallet_id } = await api.wallet(signer.address, "asked");
    wallet = await api.until<Wallet>(`/wallets/${wallet_id}`, "deployed");
    await api.ok("POST", "/local/mine", { blocks: 70 });
  });
  afterEach(() => {
    proxy.fateOf = () => undefined;
  });
  after(async () => {
    await service.close();
    proxy.close();
  });

  const refusal = (message: string) => ({ error: { code: -32000, message } });
  const isCallOf = (data: string) => (call: RpcCall) =>
    call.method === "eth_call" && (call.params[0] as { data: string }).data === data;
  /** The first matching call is refused with this message, or all are; how many were made. */
  const refuse = (matches: (call: RpcCall) => boolean, message: string, always = false) => {
    let asked = 0;
    const before = proxy.fateOf;
    proxy.fateOf = (call) => {
      if (!matches(call)) return before(call);
      asked += 1;
      return asked === 1 || always ? refusal(message) : undefined;
    };
    return () => asked;
  };
  /** The answer to a create that no signer of the wallet has signed: it comes after the wallet was asked. */
  const create = async () => {
    const operation = await signedOperation(api, stranger, wallet.address, [
      callOf(api, "Counter", "increment"),
    ]);
    return await api.call("POST", `/channels/${channelId}/operations`, operation);
  };
  let queries = 0;
  const newCall = () => `${TOTAL_SUPPLY}${(++queries).toString(16).padStart(64, "0")}`;
  const query = async (block_selection: object, call_data: string) => {
    const path = `/channels/${channelId}/queries`;
    const { query_id } = await api.ok<Query>("POST", path, {
      idempotency_key: call_data,
      query_kind: "evm_call",
      chain_selector: api.ready.chain_selector,
      params: { contract_address: api.ready.contracts.DemoToken, call_data, block_selection },
    });
    const ended = await api.until<Query>(`${path}/${query_id}`, "completed", "failed", "expired");
    const text = Buffer.from(ended.verifiable_result ?? "", "base64").toString();
    return (JSON.parse(text) as VerifiableResult).data.error?.code ?? ended.status;
  };
  const blockBefore = async (blocks: number) => {
    const { latest } = await api.ok<{ latest: number }>("GET", "/local/status");
    return { type: "block_number", block_number: String(latest - blocks) };
  };

  it("is asked again for its newest block, by creates and by queries, whatever it says", async () => {
    for (const message of SAID) {
      const asked = refuse(({ method }) => method === "eth_call", message);
      should((await create()).status).equal(400, message);
      asked().should.be.above(1);
      proxy.fateOf = () => undefined;
    }
    const asked = SAID.flatMap((message) =>
      ["latest", "finalized"].map(async (type) => {
        const data = newCall();
        refuse(isCallOf(data), message);
        should(await query({ type }, data)).equal("completed", `${message} at ${type}`);
      }),
    );
    await Promise.all(asked);
  });

  it("has pruned the state of an old block, and not that of a new one", async () => {
    const asked = refuse(({ method }) => method === "eth_getCode", OLD, true);
    should(await query(await blockBefore(66), newCall())).equal("BLOCK_SELECTION_NOT_AVAILABLE");
    should(asked()).equal(1);
    proxy.fateOf = () => undefined;
    const other = newCall();
    refuse(isCallOf(other), OLD);
    should(await query(await blockBefore(1), other)).equal("completed");
  });

  it("is unavailable when its newest block is missing for five seconds, and no request fails", async () => {
    const [latest, finalized, numbered] = [newCall(), newCall(), newCall()];
    refuse((call) => call.method === "eth_call", "header not found", true);
    const near = await blockBefore(1);
    const begun = performance.now();
    const [created, ...ended] = await Promise.all([
      create(),
      query({ type: "latest" }, latest),
      query({ type: "finalized" }, finalized),
      query(near, numbered),
    ]);
    created.should.containDeep({ status: 409, body: { type: "CONFLICT", code: "CHAIN_UNAVAILABLE" } });
    ended.should.eql(["CHAIN_UNAVAILABLE", "CHAIN_UNAVAILABLE", "BLOCK_SELECTION_NOT_AVAILABLE"]);
    (performance.now() - begun).should.be.below(10_000);
  });

  it("is asked again where it has no newest block at all", async () => {
    for (const type of ["latest", "finalized"]) {
      let isMissing = true;
      proxy.fateOf = ({ method, params }) => {
        if (method !== "eth_getBlockByNumber" || params[0] !== type || !isMissing) return undefined;
        isMissing = false;
        return { result: null };
      };
      should(await query({ type }, newCall())).equal("completed", type);
      isMissing.should.be.false();
    }
    const refused = refuse(({ method }) => method === "eth_getTransactionCount", "header not found");
    should((await api.call("POST", "/local/faucet", { amount: "1" })).status).equal(200);
    refused().should.be.above(1);
  });
});
