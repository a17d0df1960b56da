import should from "should";
import { toEventSelector } from "viem";
import type {
  Confidence,
  Operation,
  OperationStatus,
  VerifiableEvent,
  Wallet,
  Watcher,
} from "../../src/protocol/index.ts";
import { generatePrivateKey, localEcdsaSigner } from "../../src/signing/index.ts";
import { eventually } from "../../test/support/eventually.ts";
import { artifact } from "../src/chain/demo/contracts.ts";
import { startService } from "../src/index.ts";
import { Store } from "../src/store/store.ts";
import { callOf, signedOperation } from "./signed-operation.ts";
import { Api, CONFIRMED_PATH, signedText, temporaryFolder } from "./support.ts";
import { rpc } from "./transactions.ts";

const EXECUTED = toEventSelector("OperationExecuted(uint256)");

/** Blocks come only for what waits for one, and when they are asked for. */
const BY_HAND = 3_600_000;

describe("a chain that replaces its blocks", function () {
  this.timeout(120_000);
  const signer = localEcdsaSigner(generatePrivateKey());

  it("executes its operations again, in order and once, and no status goes back", () =>
    onNetwork(["latest", "finalized"], async ({ api, wallet, submit, statuses, path }) => {
      const operations: Operation[] = [];
      for (let count = 0; count < 3; count += 1) {
        const operation = await submit([callOf(api, "Counter", "increment", [])]);
        operations.push(await api.until<Operation>(path(operation), "confirmed_latest"));
      }
      await api.ok("POST", "/local/reorg", { depth: 3 });
      await eventually("the operations to be on the chain again", async () => {
        const executed = await executions(api, wallet.address);
        return executed.length === operations.length ? true : undefined;
      });
      for (const operation of operations) {
        should((await api.ok<Operation>("GET", path(operation))).status).equal("confirmed_latest");
      }
      await api.ok("POST", "/local/mine", { blocks: 16 });
      for (const operation of operations) {
        await api.until<Operation>(path(operation), "confirmed");
        should(await statuses(operation)).eql(CONFIRMED_PATH);
      }
      const executed = await executions(api, wallet.address);
      should(new Set(executed).size).equal(operations.length);
    }));

  it("makes an operation fail that cannot be executed on the new blocks, or not in time", () =>
    onNetwork(["latest", "finalized"], async ({ api, wallet, submit, lastReason, statuses, path }) => {
      await api.ok("POST", "/local/faucet", { to: wallet.address, amount: "10" });
      const spending = await submit([callOf(api, "DemoToken", "transfer", [signer.address, 10n])]);
      await api.until<Operation>(path(spending), "confirmed_latest");
      // The payment goes with its block, and nobody sends it again.
      await api.ok("POST", "/local/reorg", { depth: 2 });
      await api.until<Operation>(path(spending), "failed");
      should(await lastReason(spending)).match(/^InsufficientBalance/);
      should(await statuses(spending)).eql([...CONFIRMED_PATH.slice(0, 5), "failed"]);

      const deadline = Math.floor(Date.now() / 1000) + 900;
      const late = await submit([callOf(api, "Counter", "increment", [])], { deadline });
      await api.until<Operation>(path(late), "confirmed_latest");
      // Unseen by the service: what it sees next is a chain on which it is too late.
      await rpc(api, "anvil_reorg", [1, []]);
      await rpc(api, "evm_increaseTime", [1000]);
      await api.ok("POST", "/local/mine", { blocks: 1 });
      await api.until<Operation>(path(late), "failed");
      should(await lastReason(late)).match(
        /^the chain replaced the block it was in, and then the deadline passed on the chain, whose newest block is \d+ s ahead/,
      );
    }));

  it("reports a log that moved again, once for each block", () =>
    onNetwork(["latest", "safe", "finalized"], async ({ api, channelId, submit, path }) => {
      const { watcher_id } = await api.ok<Watcher>("POST", `/channels/${channelId}/watchers`, {
        name: "counted",
        chain_selector: api.ready.chain_selector,
        address: api.ready.contracts.Counter,
        events: ["Incremented"],
        abi: artifact("Counter").abi.filter((item) => item.type === "event"),
      });
      await api.ok("POST", "/local/mine", { blocks: 1 });
      await api.until<Watcher>(`/channels/${channelId}/watchers/${watcher_id}`, "active");
      const told = async (confidence: Confidence) =>
        (await api.events(channelId))
          .filter((event) => event.payload.watcher_id === watcher_id && event.headers.proofs.length > 0)
          .map((event) => signedText<VerifiableEvent>(event).chain_event)
          .filter((log) => log?.confidence === confidence);
      const operation = await submit([callOf(api, "Counter", "increment", [])]);
      await api.until<Operation>(path(operation), "confirmed_latest");
      await eventually("the log", async () => ((await told("latest")).length === 1 ? true : undefined));
      for (let move = 2; move <= 3; move += 1) {
        // Down to its block: another may have been mined on top of it.
        const { latest } = await api.ok<{ latest: number }>("GET", "/local/status");
        const block = Number((await told("latest")).at(-1)?.block_number);
        await api.ok("POST", "/local/reorg", { depth: latest - block + 1 });
        await eventually("the log again", async () =>
          (await told("latest")).length === move ? true : undefined,
        );
      }
      await api.ok("POST", "/local/mine", { blocks: 16 });
      await api.until<Operation>(path(operation), "confirmed");
      await eventually("the end", async () => ((await told("finalized")).length > 0 ? true : undefined));
      const latest = await told("latest");
      should(latest.length).equal(3);
      should(new Set(latest.map((log) => log?.block_number)).size).be.above(1);
      for (const confidence of ["safe", "finalized"] as const) {
        const [log, ...more] = await told(confidence);
        should(more).be.empty();
        should(log?.block_number).equal(latest.at(-1)?.block_number);
      }
    }));

  for (const [confidences, last] of [
    [["latest"], "confirmed_latest"],
    [["latest", "safe"], "confirmed_safe"],
  ] as Array<[Confidence[], OperationStatus]>) {
    it(`confirms up to ${last} on a network with ${confidences.join(" and ")}`, async () => {
      const left = await onNetwork(confidences, async ({ api, submit, statuses, path }) => {
        const operation = await submit([callOf(api, "Counter", "increment", [])]);
        await api.until<Operation>(path(operation), "confirmed_latest");
        await api.ok("POST", "/local/reorg", { depth: 1 });
        await eventually("the operation to be on the chain again", async () =>
          (await executions(api, operation.address)).length === 1 ? true : undefined,
        );
        await api.ok("POST", "/local/mine", { blocks: 16 });
        await api.until<Operation>(path(operation), last);
        const next = await submit([callOf(api, "Counter", "increment", [])]);
        await api.until<Operation>(path(next), "confirmed_latest");
        should(await statuses(operation)).eql(CONFIRMED_PATH.slice(0, CONFIRMED_PATH.indexOf(last) + 1));
      });
      // The settled one is looked after no more; the newest still is.
      should(left.unsettled).equal(1);
    });
  }

  it("is remembered by its 512 newest blocks, and no more", async () => {
    const { remembered } = await onNetwork(["latest"], async ({ api, channelId }) => {
      for (let mined = 0; mined < 600; mined += 100) await api.ok("POST", "/local/mine", { blocks: 100 });
      // Provisioned when everything up to there has been read.
      await api.transferWatcher(channelId);
    });
    should(remembered).have.length(512);
    should((remembered[0] ?? 0) - (remembered.at(-1) ?? 0)).equal(511);
  });

  type Test = {
    api: Api;
    channelId: string;
    wallet: Wallet;
    submit(transactions: object[], change?: object): Promise<Operation>;
    path(operation: Operation): string;
    statuses(operation: Operation): Promise<unknown[]>;
    lastReason(operation: Operation): Promise<string>;
  };

  /**
   * Runs a test on a service of its own. Afterwards: how many operations it would still look after, and which blocks
   * it remembers, newest first.
   */
  async function onNetwork(
    confidences: Confidence[],
    test: (given: Test) => Promise<unknown>,
  ): Promise<{ unsettled: number; remembered: number[] }> {
    const folder = temporaryFolder();
    const service = await startService({
      dataDir: folder.path,
      blockTimeMs: BY_HAND,
      confidences,
      local: true,
    });
    const api = new Api(service.ready);
    try {
      const channelId = await api.channel();
      const created = await api.ok<Wallet>("POST", "/wallets", {
        name: "wallet",
        wallet_owner_address: signer.address,
        chain_selector: api.ready.chain_selector,
        wallet_type: "ecdsa",
        allowed_ecdsa_signers: [signer.address],
      });
      const wallet = await api.until<Wallet>(`/wallets/${created.wallet_id}`, "deployed");
      await api.ok("POST", "/local/mine", { blocks: 9 });
      const submit = async (transactions: object[], change: object = {}) => {
        const operation = await signedOperation(api, signer, wallet.address, transactions, change);
        return await api.ok<Operation>("POST", `/channels/${channelId}/operations`, operation);
      };
      const eventsOf = async ({ operation_id }: Operation) =>
        (await api.events(channelId)).filter((event) => event.payload.operation_id === operation_id);
      await test({
        api,
        channelId,
        wallet,
        submit,
        path: ({ operation_id }) => `/channels/${channelId}/operations/${operation_id}`,
        statuses: async (operation) => (await eventsOf(operation)).map((event) => event.payload.status),
        lastReason: async (operation) => String((await eventsOf(operation)).at(-1)?.payload.status_reason),
      });
      await service.close();
      const store = new Store(folder.path);
      const unsettled = store.operations.unsettled(
        api.ready.chain_selector,
        "confirmed_latest",
        "confirmed_safe",
      );
      const blocks = store.positions(api.ready.chain_selector).blocks();
      store.close();
      return { unsettled: unsettled.length, remembered: blocks.map(({ number }) => number) };
    } finally {
      await service.close();
      folder.dispose();
    }
  }

  /** The ids of the operations that the chain's wallet says it has executed. */
  async function executions(api: Api, wallet: string): Promise<string[]> {
    const logs = await rpc<Array<{ topics: string[] }>>(api, "eth_getLogs", [
      { fromBlock: "0x0", toBlock: "latest", address: wallet, topics: [EXECUTED] },
    ]);
    return logs.map(({ topics }) => String(topics[1]));
  }
});
