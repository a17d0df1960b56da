import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import should from "should";
import { encodeFunctionData } from "viem";
import {
  generatePrivateKey,
  localEcdsaSigner,
  operationDigest,
  operationTypedData,
} from "../../src/index.ts";
import type { EventEnvelope, Operation, VerifiableEvent, Wallet } from "../../src/protocol/index.ts";
import { artifact } from "../src/chain/artifacts.ts";
import { type RunningService, startService } from "../src/index.ts";
import { createLog } from "../src/log.ts";
import { Api, BLOCK_TIME_MS, eventually, signedText, temporaryFolder } from "./support.ts";

describe("the local service whose chain is killed", function () {
  this.timeout(120_000);
  const lines: string[] = [];
  let folder: ReturnType<typeof temporaryFolder>;
  let service: RunningService;
  let api: Api;

  before(async () => {
    folder = temporaryFolder();
    service = await startService({
      dataDir: folder.path,
      blockTimeMs: BLOCK_TIME_MS,
      local: true,
      log: createLog({ to: { write: (line) => lines.push(line) } }),
    });
    api = new Api(service.ready);
  });
  after(async () => {
    await service.close();
    folder.dispose();
  });

  const signer = localEcdsaSigner(generatePrivateKey());
  const rpc = async (method: string, params: unknown[]): Promise<string> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = { "content-type": "application/json" };
    const answer = await fetch(api.ready.rpc_url, { method: "POST", headers, body });
    return ((await answer.json()) as { result: string }).result;
  };
  /** With the id 7, and one increment. */
  const signedOperation = async (account: string) => {
    const { chain_id, chain_selector, contracts } = api.ready;
    const data = encodeFunctionData({ abi: artifact("Counter").abi, functionName: "increment" });
    const transactions = [{ to: contracts.Counter ?? "", value: "0", data }];
    const operation = { id: "7", account, deadline: 0, transactions };
    const signature = await signer.sign({
      digest: operationDigest(operation, chain_id),
      typedData: operationTypedData(operation, chain_id),
    });
    return {
      chain_selector,
      address: account,
      wallet_operation_id: "7",
      deadline: 0,
      transactions,
      signature,
    };
  };
  const anvilPid = () => Number(readFileSync(join(folder.path, "chain", "anvil.pid"), "utf8"));
  const values = (events: EventEnvelope[], confidence: string) =>
    events
      .filter((event) => event.headers.type === "watcher.event")
      .map((event) => signedText<VerifiableEvent>(event).chain_event)
      .filter((event) => event?.confidence === confidence)
      .map((event) => event?.params?.value);

  it("starts it again at its address, says what was lost and how to start over, and brings back what it can", async () => {
    const channelId = await api.channel();
    await api.transferWatcher(channelId);
    const created = await api.ok<Wallet>("POST", "/wallets", {
      name: "lost",
      wallet_owner_address: `0x${"1".repeat(40)}`,
      chain_selector: api.ready.chain_selector,
      wallet_type: "ecdsa",
      allowed_ecdsa_signers: [signer.address],
    });
    await api.until(`/wallets/${created.wallet_id}`, "deployed");
    const operation = await api.ok<Operation>(
      "POST",
      `/channels/${channelId}/operations`,
      await signedOperation(created.address),
    );
    const path = `/channels/${channelId}/operations/${operation.operation_id}`;
    await api.until<Operation>(path, "confirmed");
    await api.ok("POST", "/local/faucet", { amount: "1" });
    await api.eventsUntil(channelId, (all) => values(all, "finalized").length === 1);

    const killed = anvilPid();
    // As if it had saved nothing yet: every contract is lost with it. It saves nothing while it is stopped.
    process.kill(killed, "SIGSTOP");
    rmSync(join(folder.path, "chain", "state.json"), { force: true });
    process.kill(killed, "SIGKILL");
    await eventually("another chain to run", () => (anvilPid() === killed ? undefined : true));
    const told = (what: RegExp) =>
      eventually(String(what), () => (lines.some((line) => what.test(line)) ? true : undefined));
    await told(/anvil\) ended by itself \(SIGKILL\)/);
    await told(/The local chain runs again/);
    await told(
      new RegExp(`rolled back: .* To start over with nothing, stop the service and remove ${folder.path}`),
    );

    await eventually("payments to work again", async () =>
      (await api.call("POST", "/local/faucet", { amount: "2" })).status === 200 ? true : undefined,
    );
    const events = await api.eventsUntil(channelId, (all) => values(all, "finalized").includes("2"));
    values(events, "latest")
      .filter((value) => value === "1")
      .should.eql(["1"]);
    events.map((event) => event.headers.offset).should.eql(events.map((_, index) => index + 1));
    await eventually("the wallet to be there again", async () => {
      return (await rpc("eth_getCode", [created.address, "latest"])) === "0x" ? undefined : true;
    });
    should((await api.ok<Wallet>("GET", `/wallets/${created.wallet_id}`)).status).equal("deployed");
    await eventually("the confirmed operation to be executed again", async () => {
      const { abi } = artifact("SmartAccount");
      const data = encodeFunctionData({ abi, functionName: "executed", args: [7n] });
      return BigInt(await rpc("eth_call", [{ to: created.address, data }, "latest"])) === 1n
        ? true
        : undefined;
    });
    const statuses = (await api.events(channelId))
      .filter(({ headers }) => headers.type === "operation.status")
      .map(({ payload }) => payload.status);
    should(new Set(statuses).size).equal(statuses.length);
    should((await api.ok<Operation>("GET", path)).status).equal("confirmed");
  });

  it("starts it empty where it was killed while it saved its state", async () => {
    const channelId = await api.channel();
    const killed = anvilPid();
    writeFileSync(join(folder.path, "chain", "state.json"), '{"block":{"number":');
    process.kill(killed, "SIGKILL");
    await eventually("another chain to run", () => (anvilPid() === killed ? undefined : true));
    const told = lines.some((line) =>
      /saved state .* is damaged; it is kept as .*state\.json\.damaged/.test(line),
    );
    should(told).be.true();
    await eventually("payments to work again", async () =>
      (await api.call("POST", "/local/faucet", {})).status === 200 ? true : undefined,
    );
    await api.transferWatcher(channelId);
    await api.ok("POST", "/local/faucet", { amount: "3" });
    await api.eventsUntil(channelId, (all) => values(all, "finalized").includes("3"));
  });
});
