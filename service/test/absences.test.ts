import should from "should";
import type { Wallet } from "../../src/protocol/index.ts";
import { generatePrivateKey, localEcdsaSigner } from "../../src/signing/index.ts";
import { eventually } from "../../test/support/eventually.ts";
import { callOf, signedOperation } from "./signed-operation.ts";
import { type Api, startTestService, TRANSFER } from "./support.ts";

describe("a resource that a tester makes absent", function () {
  this.timeout(120_000);
  const signer = localEcdsaSigner(generatePrivateKey());
  let api: Api;
  let dispose: () => Promise<void>;
  let channelId: string;
  let wallet: Wallet;

  before(async () => {
    ({ api, dispose } = await startTestService());
    channelId = await api.channel();
    const { wallet_id } = await api.ok<Wallet>("POST", "/wallets", newWallet("found at once"));
    wallet = await api.until<Wallet>(`/wallets/${wallet_id}`, "deployed");
  });
  after(() => dispose());
  afterEach(() => api.ok("DELETE", "/local/absences"));

  const newWallet = (name: string) => ({
    ...{ name, wallet_owner_address: signer.address, wallet_type: "ecdsa" },
    ...{ chain_selector: api.ready.chain_selector, allowed_ecdsa_signers: [signer.address] },
    status_channel_id: channelId,
  });
  const newWatcher = () => ({
    ...{ name: "transfers", chain_selector: api.ready.chain_selector, events: ["Transfer"] },
    ...{ address: api.ready.contracts.DemoToken, abi: [TRANSFER] },
  });
  const newQuery = () => ({
    ...{ idempotency_key: "key", query_kind: "evm_call", chain_selector: api.ready.chain_selector },
    params: {
      ...{ contract_address: api.ready.contracts.DemoToken, call_data: "0x18160ddd" },
      block_selection: { type: "latest" },
    },
  });
  const newOperation = () =>
    signedOperation(api, signer, wallet.address, [callOf(api, "Counter", "increment")]);

  it("is not found, listed or changed until its time has passed", async () => {
    for (const [kind, path, body, code] of [
      ["channel", "/channels", { name: "missed" }, "CHANNEL_NOT_FOUND"],
      ["wallet", "/wallets", newWallet("missed"), "WALLET_NOT_FOUND"],
      ["watcher", `/channels/${channelId}/watchers`, newWatcher(), "WATCHER_NOT_FOUND"],
      ["operation", `/channels/${channelId}/operations`, await newOperation(), "OPERATION_NOT_FOUND"],
      ["query", `/channels/${channelId}/queries`, newQuery(), "QUERY_NOT_FOUND"],
    ] as const) {
      await api.ok("POST", "/local/absences", { kind, delayMs: 60_000 });
      const id = String((await api.ok("POST", path, body))[`${kind}_id`]);
      const isListed = async () => {
        const { data } = await api.ok<{ data: Array<Record<string, unknown>> }>("GET", path);
        return data.some((one) => one[`${kind}_id`] === id);
      };
      const missed = await api.call("GET", `${path}/${id}`);
      should(missed).containDeep({ status: 404, body: { type: "NOT_FOUND", code } });
      should(await isListed()).be.false();
      const change = { status: kind === "operation" ? "cancelled" : "archived" };
      if (kind !== "query") should((await api.call("PATCH", `${path}/${id}`, change)).status).equal(404);
      await api.ok("DELETE", "/local/absences");
      should((await api.call("GET", `${path}/${id}`)).status).equal(200);
      should(await isListed()).be.true();
    }
  });

  it("is not found by creates and operations that name it", async () => {
    await api.ok("POST", "/local/absences", { delayMs: 60_000 });
    const missed = await api.channel();
    for (const [method, path, body] of [
      ["GET", `/channels/${missed}/events`],
      ["GET", `/channels/${missed}/events/search`],
      ["POST", `/channels/${missed}/watchers`, newWatcher()],
      ["POST", `/channels/${missed}/queries`, newQuery()],
      ["POST", "/wallets", { ...newWallet("for the missed channel"), status_channel_id: missed }],
    ] as const) {
      const answer = await api.call(method, path, body);
      should(answer).containDeep({ status: 404, body: { code: "CHANNEL_NOT_FOUND" } });
    }
  });

  it("is found again later, and an absence applies to one create of its kind", async () => {
    await api.ok("POST", "/local/absences", { kind: "channel", delayMs: 300 });
    const missed = await api.channel();
    const found = await api.channel();
    should((await api.call("GET", `/channels/${found}`)).status).equal(200);
    await eventually("the channel", async () =>
      (await api.call("GET", `/channels/${missed}`)).status === 200 ? true : undefined,
    );
  });
});
