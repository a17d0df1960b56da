import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
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
import { eventually } from "../../test/support/eventually.ts";
import { artifact } from "../src/chain/demo/contracts.ts";
import { type RunningService, startService } from "../src/index.ts";
import { createLog } from "../src/log.ts";
import { Api, BLOCK_TIME_MS, signedText, temporaryFolder } from "./support.ts";

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
  /** It is killed together with what saves it, and then this happens to each file that was saved. */
  const killChain = async (happens: (file: string) => void) => {
    const chain = join(folder.path, "chain");
    await eventually("two snapshots", () => existsSync(join(chain, "state.former.json.gz")) || undefined);
    const killed = anvilPid();
    const watchdog = Number(readFileSync(join(chain, "watchdog.pid"), "utf8"));
    for (const pid of [watchdog, killed]) process.kill(pid, "SIGSTOP");
    const states = () =>
      execFileSync("ps", ["-o", "stat=", "-p", `${watchdog},${killed}`], { encoding: "utf8" });
    await eventually("both to stand still", () => /^T.*\nT/.test(states()) || undefined);
    for (const name of readdirSync(chain)) if (/^state\..*gz$/.test(name)) happens(join(chain, name));
    for (const pid of [killed, watchdog]) process.kill(pid, "SIGKILL");
    await eventually("another chain to run", () => (anvilPid() === killed ? undefined : true));
  };
  const values = (events: EventEnvelope[], confidence: string) =>
    events
      .filter((event) => event.headers.type === "watcher.event")
      .map((event) => signedText<VerifiableEvent>(event).chain_event)
      .filter((event) => event?.confidence === confidence)
      .map((event) => event?.params?.value);

  it("restarts it at its address, logs what was lost and how to start over, and restores what it can", async () => {
    const channelId = await api.channel();
    await api.transferWatcher(channelId);
    const created = await api.ok<Wallet>("POST", "/wallets", {
      name: "lost",
      wallet_owner_address: `0x${"1".repeat(40)}`,
      chain_selector: api.ready.chain_selector,
      wallet_type: "ecdsa",
      allowed_ecdsa_signers: [signer.address],
    });
    const { address } = await api.until<Wallet>(`/wallets/${created.wallet_id}`, "deployed");
    const operation = await api.ok<Operation>(
      "POST",
      `/channels/${channelId}/operations`,
      await signedOperation(address),
    );
    const path = `/channels/${channelId}/operations/${operation.operation_id}`;
    await api.until<Operation>(path, "confirmed");
    await api.ok("POST", "/local/faucet", { amount: "1" });
    await api.eventsUntil(channelId, (all) => values(all, "finalized").length === 1);

    // As if nothing had been saved yet: every contract is lost with it.
    await killChain((file) => rmSync(file));
    const told = (what: RegExp) =>
      eventually(String(what), () => (lines.some((line) => what.test(line)) ? true : undefined));
    await told(/anvil\) ended by itself \(SIGKILL\)/);
    await told(/The local chain runs again/);
    await told(new RegExp(`rolled back: .* To start over, stop the service and remove ${folder.path}`));

    await eventually("payments to work again", async () =>
      (await api.call("POST", "/local/faucet", { amount: "2" })).status === 200 ? true : undefined,
    );
    const events = await api.eventsUntil(channelId, (all) => values(all, "finalized").includes("2"));
    values(events, "latest")
      .filter((value) => value === "1")
      .should.eql(["1"]);
    events.map((event) => event.headers.offset).should.eql(events.map((_, index) => index + 1));
    await eventually("the wallet to be there again", async () => {
      return (await rpc("eth_getCode", [address, "latest"])) === "0x" ? undefined : true;
    });
    should((await api.ok<Wallet>("GET", `/wallets/${created.wallet_id}`)).status).equal("deployed");
    await eventually("the confirmed operation to be executed again", async () => {
      const { abi } = artifact("SmartAccount");
      const data = encodeFunctionData({ abi, functionName: "executed", args: [7n] });
      return BigInt(await rpc("eth_call", [{ to: address, data }, "latest"])) === 1n ? true : undefined;
    });
    const statuses = (await api.events(channelId))
      .filter(({ headers }) => headers.type === "operation.status")
      .map(({ payload }) => payload.status);
    should(new Set(statuses).size).equal(statuses.length);
    should((await api.ok<Operation>("GET", path)).status).equal("confirmed");
  });

  it("starts it empty when all saved states are damaged", async () => {
    const channelId = await api.channel();
    await killChain((file) => truncateSync(file, Math.floor(statSync(file).size / 2)));
    for (const name of ["state.json.gz", "state.former.json.gz"]) {
      const told = new RegExp(`saved state .* is damaged .* kept as .*${name}\\.damaged`);
      should(lines.some((line) => told.test(line))).be.true();
      should(existsSync(join(folder.path, "chain", `${name}.damaged`))).be.true();
    }
    should(lines.some((line) => /no valid state: it starts empty/.test(line))).be.true();
    await eventually("payments to work again", async () =>
      (await api.call("POST", "/local/faucet", {})).status === 200 ? true : undefined,
    );
    await api.transferWatcher(channelId);
    await api.ok("POST", "/local/faucet", { amount: "3" });
    await api.eventsUntil(channelId, (all) => values(all, "finalized").includes("3"));
  });
});
