import should from "should";
import type { VerifiableEvent } from "../../src/protocol/index.ts";
import { eventually } from "../../test/support/eventually.ts";
import { itWide } from "../../test/support/wide.ts";
import { Following } from "../src/chain/ticker.ts";
import { type Api, signedText, startTestService, temporaryFolder } from "./support.ts";
import { rpc } from "./transactions.ts";

const DEEPEST = 10;

describe("reorganizations while blocks are made", function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  after(() => folder.dispose());

  const payAndAwait = async (api: Api, channelId: string) => {
    const paid: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const { transaction_hash } = await api.ok<{ transaction_hash: string }>("POST", "/local/faucet", {});
      paid.push(transaction_hash);
    }
    await api.eventsUntil(channelId, (events) => {
      const logs = events
        .filter((event) => event.headers.proofs.length > 0)
        .map((event) => signedText<VerifiableEvent>(event).chain_event);
      return ["latest", "finalized"].every((level) =>
        paid.every((hash) => logs.some((log) => log?.tx_hash === hash && log.confidence === level)),
      );
    });
  };
  /** Numbers of the blocks that the node lacks. */
  const lacking = async (api: Api): Promise<number[]> => {
    const latest = Number(await rpc<string>(api, "eth_blockNumber", []));
    const numbers = Array.from({ length: latest + 1 }, (_, number) => number);
    const at = (number: number) => [`0x${number.toString(16)}`, false];
    const blocks = await Promise.all(numbers.map((number) => rpc(api, "eth_getBlockByNumber", at(number))));
    return numbers.filter((_, index) => blocks[index] === null);
  };

  it("leave no block missing, and what follows is reported at every level", async () => {
    const { api, dispose } = await startTestService();
    try {
      await api.ok("POST", "/local/mine", { blocks: 40 });
      const channelId = await api.channel();
      await api.transferWatcher(channelId);
      for (let count = 0; count < 60; count += 1) {
        await Promise.all([
          api.ok("POST", "/local/mine", { blocks: 3 }),
          api.ok("POST", "/local/reorg", { depth: 1 + (count % DEEPEST) }),
        ]);
      }
      should(await lacking(api)).be.empty();
      await payAndAwait(api, channelId);
    } finally {
      await dispose();
    }
  });

  itWide(
    "of somebody else: blocks that the node then lacks are passed over, also after a restart",
    async () => {
      const first = await startTestService({ dataDir: folder.path });
      let channelId: string;
      try {
        const { api } = first;
        await api.ok("POST", "/local/mine", { blocks: 40 });
        channelId = await api.channel();
        await api.transferWatcher(channelId);
        await eventually("a block that is missing", async () => {
          const change = (method: string, params: unknown[]) =>
            rpc(api, method, params).catch(() => undefined);
          await Promise.all([
            ...Array.from({ length: 3 }, () => change("evm_mine", [])),
            change("anvil_reorg", [DEEPEST, []]),
          ]);
          return (await lacking(api)).length > 0;
        });
      } finally {
        await first.dispose();
      }
      // Whether the blocks that are missing hold it up depends on which of them its chain had saved.
      const { api, dispose } = await startTestService({ dataDir: folder.path, stuckMs: 500 });
      try {
        await payAndAwait(api, channelId);
        should((await api.ok<{ status: string }>("GET", "/health-check")).status).equal("ok");
      } finally {
        await dispose();
      }
    },
  );
});

describe("whether the chain is followed", () => {
  it("is a problem once it has failed for some time, until it succeeds", () => {
    let now = 0;
    const following = new Following(() => now);
    should(following.problem).be.undefined();
    following.failed("first");
    now = 14_999;
    following.failed("second");
    should(following.problem).be.undefined();
    now = 15_000;
    should(following.problem).equal("second");
    following.succeeded();
    should(following.problem).be.undefined();
  });
});
