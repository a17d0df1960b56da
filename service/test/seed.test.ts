import should from "should";
import type { Operation, Query, Wallet } from "../../src/protocol/index.ts";
import { generatePrivateKey, localEcdsaSigner } from "../../src/signing/index.ts";
import { ServiceProblem, startService } from "../src/index.ts";
import { startTestService, temporaryFolder } from "./support.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("a local service with a seed", function () {
  this.timeout(120_000);

  it("has the oracle keys and the ids of each other one with that seed, and of no other", async () => {
    const [first, again, other] = [await usedWith(7), await usedWith(7), await usedWith(8)];
    should(again).eql(first);
    should(first.ids).matchEach(UUID);
    should(new Set(first.ids).size).equal(first.ids.length);
    should(first.ids.filter((id) => other.ids.includes(id))).be.empty();
    should(first.signers.filter((address) => other.signers.includes(address))).be.empty();
  });

  it("continues its ids after a restart, and refuses the data of another seed", async () => {
    const folder = temporaryFolder();
    const started = async (seed: number | undefined) => {
      const { api, service } = await startTestService({ dataDir: folder.path, seed });
      const id = await api.channel();
      await service.close();
      return { id, signers: service.ready.valid_signers };
    };
    const [first, second] = [await started(7), await started(7)];
    const wanted = await usedWith(7);
    should([first.id, second.id]).eql(wanted.ids.slice(0, 2));
    // Without a seed, the keys stay and the ids are random.
    const without = await started(undefined);
    should(without.signers).eql(first.signers);
    const refused = await startService({ dataDir: folder.path, seed: 8 }).catch((error: unknown) => error);
    should(refused).be.instanceOf(ServiceProblem);
    should(String(refused)).match(
      /are not those of the seed 8\. Choose another data directory with --data-dir/,
    );
    folder.dispose();
  });
});

/** What is equal after the same calls: ids of all kinds in the order of their creation, addresses, oracles. */
async function usedWith(seed: number) {
  const { api, service, dispose } = await startTestService({ seed });
  try {
    const [channel, another] = [await api.channel("first"), await api.channel("second")];
    const { watcher_id } = await api.transferWatcher(channel);
    const { wallet_id } = await api.wallet(localEcdsaSigner(generatePrivateKey()).address, "wallet");
    const { address } = await api.until<Wallet>(`/wallets/${wallet_id}`, "deployed");
    const { chain_selector, contracts, valid_signers } = service.ready;
    const { operation_id } = await api.ok<Operation>("POST", `/channels/${channel}/operations`, {
      ...{ chain_selector, address, wallet_operation_id: "1", deadline: 0 },
      transactions: [{ to: contracts.DemoToken, value: "0", data: "0x" }],
    });
    const { query_id } = await api.ok<Query>("POST", `/channels/${channel}/queries`, {
      ...{ chain_selector, idempotency_key: "1", query_kind: "evm_call" },
      params: { contract_address: contracts.Counter, call_data: "0x", block_selection: { type: "latest" } },
    });
    const events = await api.eventsUntil(channel, ({ length }) => length >= 2);
    const eventIds = events.slice(0, 2).map(({ event_id }) => event_id);
    const ids = [channel, another, watcher_id, wallet_id, operation_id, query_id, ...eventIds];
    return { signers: valid_signers, contracts, address, ids };
  } finally {
    await dispose();
  }
}
