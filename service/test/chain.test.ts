import { join } from "node:path";
import should from "should";
import type { Query } from "../../src/protocol/index.ts";
import { Chain } from "../src/chain/chain.ts";
import { startService } from "../src/index.ts";
import { useOwnNode } from "./own-node.ts";
import { RpcProxy } from "./rpc-proxy.ts";
import { Api, BLOCK_TIME_MS, logTo } from "./support.ts";

/** Of an account that anvil gives coins to. */
const RICH_KEY = "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a";

describe("the local service on another node", function () {
  this.timeout(120_000);
  const own = useOwnNode();

  it("makes no blocks and pays no coins on a public chain", async () => {
    const proxy = await RpcProxy.start(own.node.rpcUrl);
    proxy.fateOf = async ({ method }) => {
      // What a node of a public network cannot do, or does not want to.
      if (method === "evm_mine") return { error: { code: -32601, message: "the method does not exist" } };
      if (method === "eth_accounts") return { result: [] };
      // Blocks come without the service's doing.
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "evm_mine", params: [] });
      const headers = { "content-type": "application/json" };
      if (method === "eth_getTransactionReceipt")
        await fetch(own.node.rpcUrl, { method: "POST", headers, body });
      return undefined;
    };
    const service = await startService({
      dataDir: join(own.folder.path, "foreign"),
      rpcUrl: proxy.url,
      relayerKey: RICH_KEY,
      local: true,
    });
    try {
      const api = new Api(service.ready);
      const bodies = { faucet: { token: "native" }, mine: { blocks: 1 }, reorg: { depth: 1 } };
      for (const [path, body] of Object.entries(bodies)) {
        const answer = await api.call("POST", `/local/${path}`, body);
        answer.should.containDeep({ status: 409, body: { type: "CONFLICT" } });
      }
      // But for its own token, which costs nobody anything.
      should((await api.call("POST", "/local/faucet", {})).status).equal(200);
    } finally {
      await service.close();
      proxy.close();
    }
  });

  it("pays with a given key, and works without `safe` and `finalized`", async () => {
    const proxy = await RpcProxy.start(own.node.rpcUrl);
    proxy.fateOf = ({ method, params: [first] = [] }) =>
      method === "eth_getBlockByNumber" && (first === "safe" || first === "finalized")
        ? { error: { code: -32602, message: `unknown block ${first}` } }
        : undefined;
    const options = {
      dataDir: join(own.folder.path, "latest"),
      rpcUrl: proxy.url,
      relayerKey: RICH_KEY,
      blockTimeMs: BLOCK_TIME_MS,
      confidences: ["latest"],
      local: true,
    } as const;
    const service = await startService(options).catch((error: unknown) => {
      proxy.close();
      throw error;
    });
    try {
      const api = new Api(service.ready);
      should((await api.ok("GET", "/local/status")).relayer).equal(
        "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
      );
      const channelId = await api.channel();
      await api.transferWatcher(channelId);
      await api.ok("POST", "/local/faucet", {});
      await api.eventsUntil(channelId, (events) => events.length === 3);
      const path = `/channels/${channelId}/queries`;
      const ask = async (type: string) => {
        const { query_id } = await api.ok<{ query_id: string }>("POST", path, {
          idempotency_key: type,
          query_kind: "evm_call",
          chain_selector: service.ready.chain_selector,
          params: {
            contract_address: service.ready.contracts.DemoToken,
            call_data: "0x18160ddd",
            block_selection: { type },
          },
        });
        return await api.until<Query>(`${path}/${query_id}`, "completed", "failed");
      };
      should((await ask("latest")).status).equal("completed");
      const failed = await ask("finalized");
      Buffer.from(failed.verifiable_result ?? "", "base64")
        .toString()
        .should.match(/"BLOCK_SELECTION_NOT_AVAILABLE"/);
    } finally {
      await service.close();
      proxy.close();
    }
    await startService({ ...options, rpcUrl: own.node.rpcUrl, relayerKey: "0x12" }).should.be.rejectedWith(
      /^CREC_RELAYER_KEY must be a private key/,
    );
  });

  it("accepts an unknown chain with a given selector", async () => {
    const proxy = await RpcProxy.start(own.node.rpcUrl);
    proxy.fateOf = ({ method }) => (method === "eth_chainId" ? { result: "0x3039" } : undefined);
    try {
      await Chain.connect(proxy.url, { createdAt: 0 }).should.be.rejectedWith(
        /is of chain 12345.*--chain-selector/,
      );
      const { network } = await Chain.connect(proxy.url, { createdAt: 0, chainSelector: "777" });
      should(network).containEql({ chain_id: "12345", chain_selector: "777", type: "testnet" });
      for (const wrong of ["0", "x", "5009297550715157269", String(2n ** 64n)]) {
        await Chain.connect(proxy.url, { createdAt: 0, chainSelector: wrong }).should.be.rejectedWith(
          /CREC_CHAIN_SELECTOR must be/,
        );
      }
    } finally {
      proxy.close();
    }
  });

  it("pays with its own account, and reports when the node is gone", async () => {
    const lines: string[] = [];
    const service = await startService({
      dataDir: join(own.folder.path, "data"),
      rpcUrl: own.node.rpcUrl,
      blockTimeMs: BLOCK_TIME_MS,
      local: true,
      log: logTo((line) => lines.push(line)),
    });
    try {
      const api = new Api(service.ready);
      should(service.ready.rpc_url).equal(own.node.rpcUrl);
      const channelId = await api.channel();
      await api.transferWatcher(channelId);
      await api.ok("POST", "/local/faucet", {});
      await api.eventsUntil(channelId, (events) => events.length >= 4);

      await own.node.stop();
      const faucet = await api.call("POST", "/local/faucet", {});
      faucet.should.containDeep({ status: 409, body: { type: "CONFLICT", code: "CHAIN_UNAVAILABLE" } });
      const { query_id } = await api.ok<{ query_id: string }>("POST", `/channels/${channelId}/queries`, {
        idempotency_key: "down",
        query_kind: "evm_call",
        chain_selector: service.ready.chain_selector,
        params: {
          contract_address: service.ready.contracts.DemoToken,
          call_data: "0x18160ddd",
          block_selection: { type: "latest" },
        },
      });
      const failed = await api.until<Query>(`/channels/${channelId}/queries/${query_id}`, "failed");
      Buffer.from(failed.verifiable_result ?? "", "base64")
        .toString()
        .should.match(/"CHAIN_UNAVAILABLE"/);
      lines.some((line) => /does not answer/.test(line)).should.be.true();
    } finally {
      await service.close();
    }
  });
});
