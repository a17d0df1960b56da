import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import should from "should";
import type { EventEnvelope, Operation, VerifiableEvent, Wallet } from "../../src/protocol/index.ts";
import {
  generatePrivateKey,
  localEcdsaSigner,
  operationDigest,
  operationTypedData,
} from "../../src/signing/index.ts";
import { eventually } from "../../test/support/eventually.ts";
import { sized } from "../../test/support/variants.ts";
import { itWide } from "../../test/support/wide.ts";
import { isAlive } from "../src/chain/anvil/processes.ts";
import { signedText, spawnCli, spawnService, temporaryFolder } from "./support.ts";

describe("the local service as a process", function () {
  this.timeout(120_000);
  let folder: ReturnType<typeof temporaryFolder>;

  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.dispose());

  const pidOf = (name: string) => Number(readFileSync(join(folder.path, "chain", `${name}.pid`), "utf8"));
  const anvilPid = () => pidOf("anvil");
  const transfers = (events: EventEnvelope[]) =>
    events
      .filter((event) => event.headers.type === "watcher.event")
      .map((event) => signedText<VerifiableEvent>(event).chain_event)
      .map((event) => `${event?.params?.value} ${event?.confidence}`);

  it("continues after a kill without a gap or a duplicate, on the same chain", async () => {
    const first = await spawnService(folder.path);
    const channelId = await first.api.channel("kept");
    await first.api.transferWatcher(channelId);
    await first.api.ok("POST", "/local/faucet", { amount: "1" });
    await first.api.eventsUntil(channelId, (all) => transfers(all).length >= 1);
    await first.api.ok("POST", "/local/faucet", { amount: "2" });
    const pid = anvilPid();
    first.child.kill("SIGKILL");
    await first.exited;

    const second = await spawnService(folder.path);
    isAlive(pid).should.be.false();
    should(second.ready.contracts).eql(first.ready.contracts);
    should(second.ready.valid_signers).eql(first.ready.valid_signers);
    await second.api.ok("POST", "/local/faucet", { amount: "3" });
    const events = await second.api.eventsUntil(channelId, (all) => transfers(all).length >= 6);
    transfers(events)
      .sort()
      .should.eql(["1 finalized", "1 latest", "2 finalized", "2 latest", "3 finalized", "3 latest"]);
    events.map((event) => event.headers.offset).should.eql(events.map((_, index) => index + 1));
    second.child.kill("SIGTERM");
    should(await second.exited).equal(0);
  });

  itWide("leaves no chain running when it is stopped, and keeps its chain at the given port", async () => {
    const first = await spawnService(folder.path);
    const { port } = new URL(first.ready.rpc_url);
    const pid = anvilPid();
    const stopped = Date.now();
    first.child.kill("SIGTERM");
    should(await first.exited).equal(0);
    (Date.now() - stopped).should.be.below(30_000);
    isAlive(pid).should.be.false();

    const second = await spawnService(folder.path, { args: ["--chain-port", port] });
    should(second.ready.rpc_url).equal(first.ready.rpc_url);

    const third = spawnCli(["--port", "0", "--data-dir", `${folder.path}/third`, "--chain-port", port]);
    should(await third.exited).equal(1);
    should(third.errors()).match(new RegExp(`port ${port} is taken .* --chain-port`));
    second.child.kill("SIGTERM");
    should(await second.exited).equal(0);
  });

  itWide("continues when the chain has lost its newest blocks and wallets", async () => {
    const first = await spawnService(folder.path);
    // From now on nothing is saved.
    const watchdog = pidOf("watchdog");
    process.kill(watchdog, "SIGSTOP");
    const channelId = await first.api.channel("kept");
    await first.api.transferWatcher(channelId);
    const created = await first.api.ok<Wallet>("POST", "/wallets", {
      name: "kept",
      wallet_owner_address: `0x${"1".repeat(40)}`,
      chain_selector: first.ready.chain_selector,
      wallet_type: "ecdsa",
    });
    const { address } = await first.api.until<Wallet>(`/wallets/${created.wallet_id}`, "deployed");
    await first.api.ok("POST", "/local/faucet", { amount: "1" });
    await first.api.eventsUntil(channelId, (all) => transfers(all).length >= 1);
    for (const pid of [anvilPid(), watchdog]) process.kill(pid, "SIGKILL");
    first.child.kill("SIGKILL");
    await first.exited;

    const second = await spawnService(folder.path);
    should(second.ready.contracts).eql(first.ready.contracts);
    await second.api.ok("POST", "/local/faucet", { amount: "2" });
    const events = await second.api.eventsUntil(channelId, (all) => transfers(all).includes("2 finalized"));
    // On a slow machine the first was final before the kill.
    const reported = transfers(events).filter((transfer) => transfer !== "1 finalized");
    reported.should.eql(["1 latest", "2 latest", "2 finalized"]);
    await eventually("the wallet to be there again", async () =>
      (await rpc(second.ready.rpc_url, "eth_getCode", [address, "latest"])) === "0x" ? undefined : true,
    );
    second.child.kill("SIGTERM");
    should(await second.exited).equal(0);
  });

  itWide("executes an operation once, wherever it is killed", async () => {
    const signer = localEcdsaSigner(generatePrivateKey());
    let running = await spawnService(folder.path);
    const channelId = await running.api.channel("kept");
    const created = await running.api.ok<Wallet>("POST", "/wallets", {
      name: "kept",
      wallet_owner_address: signer.address,
      chain_selector: running.ready.chain_selector,
      wallet_type: "ecdsa",
      allowed_ecdsa_signers: [signer.address],
    });
    const { address } = await running.api.until<Wallet>(`/wallets/${created.wallet_id}`, "deployed");
    const receiver = "0x00000000000000000000000000000000000000d4";
    await running.api.ok("POST", "/local/faucet", { to: address, amount: "1000", token: "native" });
    // From "before anything is sent" to "in a block".
    const delays = sized([0, 30], [0, 15, 30, 60]);
    for (const [index, delay] of delays.entries()) {
      const operation = {
        chain_selector: running.ready.chain_selector,
        address,
        wallet_operation_id: String(index + 1),
        deadline: 0,
        transactions: [{ to: receiver, value: "1", data: "0x" }],
      };
      const input = { ...operation, id: operation.wallet_operation_id, account: operation.address };
      const digest = operationDigest(input, running.ready.chain_id);
      const signature = await signer.sign({
        digest,
        typedData: operationTypedData(input, running.ready.chain_id),
      });
      const path = `/channels/${channelId}/operations`;
      const { operation_id } = await running.api.ok<Operation>("POST", path, { ...operation, signature });
      // biome-ignore lint/plugin: a kill at this moment of the operation
      await new Promise((resolve) => setTimeout(resolve, delay));
      running.child.kill("SIGKILL");
      await running.exited;
      running = await spawnService(folder.path);
      await running.api.until(`${path}/${operation_id}`, "confirmed_latest", "confirmed_safe", "confirmed");
    }
    const events = (await running.api.events(channelId)).filter(
      (event) => event.payload.wallet_operation_id === "1",
    );
    const statuses = events.map((event) => event.payload.status);
    should(new Set(statuses).size).equal(statuses.length);
    const balance = await rpc(running.ready.rpc_url, "eth_getBalance", [receiver, "latest"]);
    should(Number(balance)).equal(delays.length);
    running.child.kill("SIGINT");
    should(await running.exited).equal(0);
  });

  itWide("leaves no chain running when it is killed, or its parent has ended", async () => {
    const killed = await spawnService(folder.path);
    const first = anvilPid();
    killed.child.kill("SIGKILL");
    await eventually("anvil to end", () => (isAlive(first) ? undefined : true));

    const orphaned = await spawnService(folder.path);
    const second = anvilPid();
    orphaned.child.disconnect();
    should(await orphaned.exited).equal(0);
    isAlive(second).should.be.false();
  });

  itWide("has one chain after each kill, also where there is no ps", async () => {
    const env = { PATH: folder.path };
    const used: number[] = [];
    let running = await spawnService(folder.path, { env });
    try {
      for (const killsWatchdog of sized([false, true], [false, true, false, true])) {
        used.push(anvilPid(), pidOf("watchdog"));
        running.child.kill("SIGKILL");
        if (killsWatchdog) process.kill(pidOf("watchdog"), "SIGKILL");
        await running.exited;
        running = await spawnService(folder.path, { env });
        used.filter(isAlive).should.eql([]);
      }
      used.push(anvilPid(), pidOf("watchdog"));
      running.child.kill("SIGTERM");
      should(await running.exited).equal(0);
      used.filter(isAlive).should.eql([]);
    } finally {
      running.child.kill("SIGKILL");
      await running.exited;
    }
  });

  itWide("reports in one sentence why it cannot start", async () => {
    const running = await spawnService(folder.path);
    const second = spawnCli(["--port", "0", "--data-dir", folder.path]);
    should(await second.exited).equal(1);
    second.errors().should.match(/Another local service is using the data directory/);
    running.child.kill("SIGTERM");
    await running.exited;

    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    const blocked = spawnCli(["--port", String(port), "--data-dir", folder.path]);
    should(await blocked.exited).equal(1);
    blocked.errors().should.match(new RegExp(`Port ${port} is taken by another program.*--port`));
    taken.close();

    const nowhere = [];
    // Node.js itself does not end its tries to make a folder in /proc.
    for (const path of ["/dev/null/here", ...(process.platform === "linux" ? ["/proc/not/here"] : [])]) {
      const called = spawnCli(["--port", "0", "--data-dir", path]);
      should(await called.exited).equal(1);
      called.errors().should.match(/data directory .* cannot be created/);
      nowhere.push(called);
    }
    const open = spawnCli(["--port", "0", "--host", "0.0.0.0", "--data-dir", folder.path]);
    should(await open.exited).equal(1);
    open.errors().should.match(/CREC_API_KEY/);
    const noNode = spawnCli(["--port", "0", "--data-dir", folder.path, "--rpc-url", "http://127.0.0.1:1"]);
    should(await noNode.exited).equal(1);
    noNode.errors().should.match(/No EVM node answers at http:\/\/127\.0\.0\.1:1/);
    for (const { errors } of [second, blocked, ...nowhere, open, noNode])
      errors().should.not.match(/\n\s+at /);
  });
});

async function rpc(url: string, method: string, params: unknown[]): Promise<string> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return ((await response.json()) as { result: string }).result;
}
