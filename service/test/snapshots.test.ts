import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import should from "should";
import { eventually } from "../../test/support/eventually.ts";
import { type Anvil, startAnvil } from "../src/chain/anvil/anvil.ts";
import { isAlive } from "../src/chain/anvil/processes.ts";
import { isTorn, newestSnapshot, withNewestBlocks } from "../src/chain/anvil/snapshots.ts";
import { type Exclusively, Watchdog } from "../src/chain/anvil/watchdog.ts";
import { Chain } from "../src/chain/chain.ts";
import { createLog } from "../src/log.ts";
import { RpcProxy } from "./rpc-proxy.ts";
import { temporaryFolder } from "./support.ts";

const RECEIVER = `0x${"1".repeat(40)}`;

describe("the saved state of the local chain", function () {
  this.timeout(120_000);
  let folder: ReturnType<typeof temporaryFolder>;
  let anvil: Anvil;
  let lines: string[];
  /** Those of another watchdog. */
  let others: string[];

  const at = (name: string) => join(folder.path, name);
  const pidOf = (name: "anvil" | "watchdog") => Number(readFileSync(at(`${name}.pid`), "utf8"));
  const start = async () => {
    [lines, others] = [[], []];
    const log = createLog({ level: "debug", to: { write: (line) => lines.push(line) } });
    anvil = await startAnvil(folder.path, { log });
  };
  const told = (what: RegExp, by = () => lines) =>
    eventually(String(what), by, (all) => all.some((line) => what.test(line)));
  const rpc = async <T = string>(method: string, ...params: unknown[]): Promise<T> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = { "content-type": "application/json" };
    const answer = await fetch(anvil.rpcUrl, { method: "POST", headers, body });
    return ((await answer.json()) as { result: T }).result;
  };
  /** Another watchdog of the chain, which saves it in a folder of its own, and what it asks the chain. */
  const withWatchdog = async (
    use: (other: {
      folder: string;
      pid: number;
      asked: (method: string) => number;
      proxy: RpcProxy;
    }) => Promise<void>,
    exclusively: Exclusively = (work) => work(),
  ): Promise<void> => {
    const other = temporaryFolder();
    const proxy = await RpcProxy.start(anvil.rpcUrl);
    const methods: string[] = [];
    proxy.fateOf = ({ method }) => {
      methods.push(method);
      return undefined;
    };
    const log = createLog({ level: "debug", to: { write: (line) => others.push(line) } });
    const watchdog = new Watchdog({ folder: other.path, log, loaded: { block: 0, bytes: 0 }, exclusively });
    try {
      watchdog.order({ rpcUrl: proxy.url });
      const pid = Number(readFileSync(join(other.path, "watchdog.pid"), "utf8"));
      await use({
        folder: other.path,
        pid,
        proxy,
        asked: (method) => methods.filter((one) => one === method).length,
      });
    } finally {
      await watchdog.end();
      proxy.close();
      other.dispose();
    }
  };
  /** A block with a payment in it; its number, once that is saved. */
  const savedBlock = async (): Promise<number> => {
    const [from] = await rpc<string[]>("eth_accounts");
    await rpc("eth_sendTransaction", { from, to: RECEIVER, value: "0x1" });
    await rpc("evm_mine");
    const number = Number(await rpc("eth_blockNumber"));
    await told(new RegExp(`saved up to block ${number}\\.`));
    return number;
  };
  const newest = () => rpc<{ number: string; hash: string }>("eth_getBlockByNumber", "latest", false);

  beforeEach(async () => {
    folder = temporaryFolder();
    await start();
  });
  afterEach(async () => {
    await anvil.stop();
    folder.dispose();
  });

  it("is restored after a stop and after a kill of everything: blocks, transactions and balances", async () => {
    await savedBlock();
    const [{ transactionHash }] =
      (await rpc<[{ transactionHash: string }]>("eth_getBlockReceipts", "latest")) ?? [];
    const before = await newest();
    // Without a block of its own.
    await rpc("anvil_setBalance", RECEIVER, "0x7b");
    await anvil.stop();
    for (const end of ["stop", "kill"]) {
      await start();
      await told(new RegExp(`continues from block ${Number(before.number)}\\.`));
      (await newest()).hash.should.equal(before.hash);
      should(await rpc("eth_getTransactionReceipt", transactionHash)).be.ok();
      should(Number(await rpc("eth_getBalance", RECEIVER, "latest"))).equal(123);
      if (end === "stop") await anvil.stop();
      else anvil.giveUp();
      if (end === "kill")
        for (const name of ["watchdog", "anvil"] as const) process.kill(pidOf(name), "SIGKILL");
    }
  });

  it("is not written without new blocks", async () => {
    const block = await savedBlock();
    await withWatchdog(async (other) => {
      await told(new RegExp(`saved up to block ${block}\\.`), () => others);
      const filesIn = (path: string) =>
        readdirSync(path).map((name) => {
          const { ino, mtimeMs } = statSync(join(path, name));
          return [name, ino, mtimeMs];
        });
      const written = () => [
        ...[folder.path, other.folder].map(filesIn),
        ...[pidOf("anvil"), pidOf("watchdog"), other.pid].map(bytesWritten),
      ];
      const before = written();
      const looks = () => other.asked("eth_getBlockByNumber");
      const seen = looks();
      // After a look it would save before it looks again.
      await eventually("three more looks for blocks", looks, (count) => count >= seen + 3);
      written().should.eql(before);
    });
  });

  it("is kept in two snapshots: the older one is used when the newest is damaged", async () => {
    const former = await savedBlock();
    const block = await savedBlock();
    await anvil.stop();
    const whole = readFileSync(at("state.json.gz"));
    const json = gunzipSync(whole).toString();
    const damages = {
      empty: Buffer.alloc(0),
      half: whole.subarray(0, whole.length / 2),
      "without its last byte": whole.subarray(0, -1),
      "with another byte within": Buffer.concat([
        whole.subarray(0, 999),
        Buffer.from("x"),
        whole.subarray(1000),
      ]),
      "no state": gzipSync('{"block":{"number":"0x1"}}'),
      "half a state": gzipSync(json.slice(0, -99)),
    };
    for (const [name, damaged] of Object.entries(damages)) {
      writeFileSync(at("state.json.gz"), damaged);
      const found: string[] = [];
      const snapshot = await newestSnapshot(folder.path, ({ kept }) => found.push(kept));
      found.should.eql([at("state.json.gz.damaged")], name);
      should(snapshot?.block).be.within(former, block);
      readFileSync(at("state.json.gz.damaged")).should.eql(damaged);
    }
    // Whole, and yet nothing that anvil takes.
    writeFileSync(at("state.json.gz"), gzipSync(json.replace('"accounts":{', '"accounts":{"0x12":{},')));
    writeFileSync(at("state.1.new"), "left by a process that was killed");
    await start();
    await told(/cannot load a saved state .* kept as .*state\.json\.gz\.damaged/);
    await told(/continues from block/);
    existsSync(at("state.1.new")).should.be.false();
  });

  it("is read from the file of an earlier version", async () => {
    const block = await savedBlock();
    await anvil.stop();
    writeFileSync(at("state.json"), gunzipSync(readFileSync(at("state.json.gz"))));
    for (const name of ["state.json.gz", "state.former.json.gz"]) rmSync(at(name), { force: true });
    await start();
    await told(new RegExp(`continues from block ${block}\\.`));
    await savedBlock();
    existsSync(at("state.json")).should.be.false();
  });

  it("stays unchanged while it cannot be written, which is logged once, and again when it is over", async () => {
    const block = await savedBlock();
    await withWatchdog(async (other) => {
      const by = () => others;
      await told(new RegExp(`saved up to block ${block}\\.`), by);
      const state = join(other.folder, "state.json.gz");
      const before = readFileSync(state);
      // What stands where it wants to write keeps it from writing, as a full disk does.
      const obstacle = join(other.folder, `state.${other.pid}.new`);
      mkdirSync(obstacle);
      await rpc("evm_mine");
      await told(new RegExp(`cannot be saved .* restart at block ${block}\\.`), by);
      await rpc("evm_mine");
      const tries = () => other.asked("anvil_dumpState");
      const tried = tries();
      // The second one begins when the first has failed.
      await eventually("two more tries to save", tries, (count) => count >= tried + 2);
      readFileSync(state).should.eql(before);
      rmSync(obstacle, { recursive: true });
      await told(/can be saved again/, by);
      await told(new RegExp(`saved up to block ${block + 2}\\.`), by);
      others.filter((line) => /cannot be saved/.test(line)).length.should.equal(1);
    });
  });

  it("is read while nothing else changes the chain, until it is read or nobody reads it", async () => {
    const chain = await Chain.connect(anvil.rpcUrl, { createdAt: 0 });
    let [asked, read] = [0, 0];
    const exclusively: Exclusively = async (work) => {
      asked += 1;
      await chain.alone(work);
      read += 1;
    };
    await withWatchdog(async ({ proxy, asked: calls, pid }) => {
      const dumps = () => calls("anvil_dumpState");
      await chain.alone(async () => {
        await rpc("evm_mine");
        await eventually("the wish to read the state", () => asked > 0);
        should(dumps()).equal(0);
      });
      await eventually("a state that is read", () => read > 0);
      should(dumps()).be.above(0);

      const { fateOf } = proxy;
      const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
      let isHeld = false;
      proxy.fateOf = async (call) => {
        if (call.method !== "anvil_dumpState") return fateOf?.(call);
        isHeld = true;
        await held;
        return undefined;
      };
      await rpc("evm_mine");
      await eventually("a state that is being read", () => isHeld);
      const number = Number(await rpc("eth_blockNumber"));
      const mined = chain.mine();
      // Whoever reads without the lock sees no other block.
      for (let looks = 0; looks < 3; looks += 1) should(Number(await rpc("eth_blockNumber"))).equal(number);
      process.kill(pid, "SIGKILL");
      await mined;
      should(Number(await rpc("eth_blockNumber"))).equal(number + 1);
      letGo();
    }, exclusively);
  });

  it("is saved when the watchdog was killed, and restored when anvil was", async () => {
    await savedBlock();
    process.kill(pidOf("watchdog"), "SIGKILL");
    await told(/ended by itself/);
    const block = await savedBlock();
    process.kill(anvil.pid, "SIGKILL");
    await told(new RegExp(`continues from block ${block}\\.`));
    await told(/runs again/);
    should(Number((await newest()).number)).equal(block);
  });

  it("is awaited at a stop, however long it takes, which is logged", async () => {
    await savedBlock();
    const watchdog = pidOf("watchdog");
    // As one that has much to write.
    process.kill(watchdog, "SIGSTOP");
    let ended = false;
    const stopped = anvil.stop().then(() => {
      ended = true;
    });
    await told(/Saving the chain's state \(\d+ MB\)/);
    ended.should.be.false();
    isAlive(anvil.pid).should.be.true();
    process.kill(watchdog, "SIGCONT");
    await stopped;
    isAlive(anvil.pid).should.be.false();
    isAlive(watchdog).should.be.false();
  });

  it("stays unchanged when anvil hangs, which is still ended", async () => {
    const block = await savedBlock();
    const { pid } = anvil;
    process.kill(pid, "SIGSTOP");
    await anvil.stop();
    isAlive(pid).should.be.false();
    await start();
    await told(new RegExp(`continues from block ${block}\\.`));
  });

  it("loses old blocks and their transactions when the chain is restarted, at the same address", async () => {
    for (let made = 0; made < 4; made += 1) await savedBlock();
    const before = await newest();
    const json = gunzipSync(readFileSync(at("state.json.gz")));
    const { url } = { url: anvil.rpcUrl };
    should(await anvil.renew()).be.true();
    should(anvil.rpcUrl).equal(url);
    (await newest()).hash.should.equal(before.hash);

    type State = {
      blocks: Array<{ header: { number: string } }>;
      transactions: Array<{ block_number: number }>;
    };
    const pruned = JSON.parse(Buffer.concat(withNewestBlocks(json, { kept: 2 })).toString()) as State;
    pruned.blocks
      .map(({ header }) => Number(header.number))
      .sort()
      .should.eql([3, 4]);
    pruned.transactions
      .map(({ block_number }) => block_number)
      .sort()
      .should.eql([3, 4]);
    const needed = Buffer.concat(withNewestBlocks(json, { kept: 2, neededAfter: 1 })).toString();
    should((JSON.parse(needed) as State).transactions).have.length(3);
    should({ ...pruned, blocks: [], transactions: [] }).eql({
      ...JSON.parse(json.toString()),
      blocks: [],
      transactions: [],
    });
  });

  it("is not saved where accounts are a block ahead of the blocks", async () => {
    await savedBlock();
    const { hash } = await newest();
    const before = gunzipSync(readFileSync(at("state.json.gz")));
    isTorn(before, hash).should.be.false();
    await savedBlock();
    const text = before.toString();
    const after = gunzipSync(readFileSync(at("state.json.gz"))).toString();
    const accounts = /"accounts":.*?,"best_block_number"/s;
    const [ahead = ""] = accounts.exec(after) ?? [];
    isTorn(Buffer.from(text.replace(accounts, () => ahead)), hash).should.be.true();
  });
});

/** Undefined where the system does not tell. */
function bytesWritten(pid: number): string | undefined {
  if (process.platform !== "linux") return undefined;
  return /^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1];
}
