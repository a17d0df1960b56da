import should from "should";
import { toHex } from "viem";
import type { Operation, Wallet } from "../../src/protocol/index.ts";
import { generatePrivateKey, localEcdsaSigner } from "../../src/signing/index.ts";
import { eventually } from "../../test/support/eventually.ts";
import { type RunningService, startService } from "../src/index.ts";
import { EMITTERS, emit, watchEmitters } from "./emitters.ts";
import { BATCH_REFUSALS, type Call, error, LimitedNode, type Refusal, rangeLimit } from "./limited-node.ts";
import { useOwnNode } from "./own-node.ts";
import { callOf, signedOperation } from "./signed-operation.ts";
import { Api, BLOCK_TIME_MS, temporaryFolder } from "./support.ts";
import { rpc } from "./transactions.ts";

type Limits = {
  refuse?: (calls: Call[]) => Refusal | undefined;
  edit?: (call: Call, answer: object) => object;
};

/** What a provider does not give, and what the chain did meanwhile: blocks, each with so many logs of each contract. */
const PROVIDERS: Record<string, { limits: () => Limits; blocks: number; logs?: number[] }> = {
  "takes 20 calls in a batch": {
    limits: () => ({
      refuse: (calls) => (calls.length > 20 ? BATCH_REFUSALS["one object"]?.(calls) : undefined),
    }),
    blocks: 600,
  },
  "takes no batches": {
    limits: () => ({
      refuse: (calls) => (calls.length > 1 ? BATCH_REFUSALS["a page of HTML"]?.(calls) : undefined),
    }),
    blocks: 100,
  },
  "gives 10 blocks of logs, and refuses in words that are known": {
    limits: () => rangeLimit(10, "eth_getLogs is limited to a 10 block range"),
    blocks: 300,
  },
  "gives 100 blocks of logs, and refuses in words that nobody knows": {
    limits: () => rangeLimit(100, "no"),
    blocks: 300,
  },
  "gives 50 logs": {
    limits: () => ({
      edit: (call, answer) =>
        resultsOf(call, answer) > 50 ? error(call.id, -32005, "query returned more than 50 results") : answer,
    }),
    blocks: 10,
    logs: Array.from({ length: 10 }, () => 24),
  },
  "gives 50 logs, fewer than one block has": {
    limits: () => ({
      edit: (call, answer) =>
        resultsOf(call, answer) > 50 ? error(call.id, -32602, "Log response size exceeded") : answer,
    }),
    blocks: 3,
    logs: [3, 48, 3],
  },
  "grants 60 calls in a tenth of a second": { limits: () => rateLimit(60, 100), blocks: 300 },
};

describe("the local service on a node with limits", function () {
  this.timeout(180_000);
  const own = useOwnNode();
  let data: ReturnType<typeof temporaryFolder>;
  let node: LimitedNode;
  let service: RunningService;
  let api: Api;
  let channelId: string;
  /** How many events were there before. */
  let known = 0;

  const start = async () => {
    service = await startService({
      dataDir: data.path,
      rpcUrl: node.url,
      blockTimeMs: BLOCK_TIME_MS,
      local: true,
      confidences: ["latest"],
    });
    api = new Api(service.ready);
  };
  /** The chain itself, past all limits. */
  const chain = () => ({ ready: { ...api.ready, rpc_url: own.node.rpcUrl } }) as Api;
  const transfers = async () =>
    (await api.events(channelId)).filter(({ payload }) => payload.verifiable_event !== undefined);

  before(async () => {
    data = temporaryFolder();
    node = await LimitedNode.start(own.node.rpcUrl);
    await start();
    channelId = await api.channel();
    await watchEmitters(api, chain(), channelId);
  });
  afterEach(() => {
    node.refuse = () => undefined;
    node.edit = (_, answer) => answer;
  });
  after(async () => {
    await service.close();
    node.close();
    data.dispose();
  });

  for (const [what, { limits, blocks, logs = [1, 0, 2] }] of Object.entries(PROVIDERS)) {
    it(`finds all events of ${blocks} blocks while it was down, where the node ${what}`, async () => {
      await service.close();
      for (const count of logs) {
        for (const emitter of EMITTERS) await emit(chain(), emitter, count);
      }
      await rpc(chain(), "anvil_mine", [toHex(Math.max(0, blocks - 2 * logs.length))]);
      Object.assign(node, limits());
      await start();
      const expected = known + 2 * logs.reduce((sum, count) => sum + count, 0);
      await eventually("all events", async () => ((await transfers()).length >= expected ? true : undefined));
      // Another one, found at once: nothing is behind any more, and nothing comes twice.
      await emit(chain(), EMITTERS[0], 1);
      await eventually("the next", async () => ((await transfers()).length > expected ? true : undefined));
      known = (await transfers()).length;
      should(known).equal(expected + 1);
    });
  }

  it("executes 30 operations together where the node accepts 3 calls in a batch", async () => {
    const signer = localEcdsaSigner(generatePrivateKey());
    const { wallet_id } = await api.ok<Wallet>("POST", "/wallets", {
      name: "limited",
      wallet_owner_address: signer.address,
      chain_selector: api.ready.chain_selector,
      wallet_type: "ecdsa",
      allowed_ecdsa_signers: [signer.address],
    });
    const wallet = await api.until<Wallet>(`/wallets/${wallet_id}`, "deployed");
    node.refuse = (calls) => (calls.length > 3 ? BATCH_REFUSALS["one object"]?.(calls) : undefined);
    const path = `/channels/${channelId}/operations`;
    const submitted = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const body = await signedOperation(api, signer, wallet.address, [
          callOf(api, "Counter", "increment"),
        ]);
        return await api.ok<Operation>("POST", path, body);
      }),
    );
    for (const { operation_id } of submitted) {
      const ended = await api.until<Operation>(
        `${path}/${operation_id}`,
        "confirmed_latest",
        "failed",
        "expired",
      );
      should(ended.status).equal("confirmed_latest");
    }
    should(node.sizes().some((size) => size === 3)).be.true();
  });
});

function rateLimit(calls: number, milliseconds: number): Limits {
  let since = performance.now();
  let granted = 0;
  return {
    refuse: (asked) => {
      if (performance.now() - since > milliseconds) {
        since = performance.now();
        granted = 0;
      }
      granted += asked.length;
      return granted > calls
        ? { status: 429, headers: { "retry-after": "0" }, body: "too many requests" }
        : undefined;
    },
  };
}

function resultsOf({ method }: Call, answer: object): number {
  return method === "eth_getLogs" ? (answer as { result: unknown[] }).result.length : 0;
}
