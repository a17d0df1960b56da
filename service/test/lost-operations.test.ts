import should from "should";
import type { Hex, Operation, Wallet } from "../../src/protocol/index.ts";
import { generatePrivateKey, localEcdsaSigner } from "../../src/signing/index.ts";
import { eventually } from "../../test/support/eventually.ts";
import { Chain } from "../src/chain/chain.ts";
import { hasExecuted } from "../src/chain/smart-account.ts";
import { useOwnNode } from "./own-node.ts";
import { callOf, signedOperation } from "./signed-operation.ts";
import { type Api, spawnService, temporaryFolder } from "./support.ts";
import { rpc } from "./transactions.ts";

const OPERATIONS = 30;

describe("confirmed operations on a chain that is reset", function () {
  this.timeout(180_000);
  const own = useOwnNode();
  const signer = localEcdsaSigner(generatePrivateKey());
  let data: ReturnType<typeof temporaryFolder>;
  let running: Awaited<ReturnType<typeof spawnService>>;
  let wallet: Wallet;
  let channelId: string;
  let snapshot: string;

  const start = async () => {
    running = await spawnService(data.path, { args: ["--rpc-url", own.node.rpcUrl] });
  };
  const kill = async () => {
    running.child.kill("SIGKILL");
    await running.exited;
  };
  /** The chain itself, also while no service runs. */
  const node = () => ({ ready: { rpc_url: own.node.rpcUrl } }) as Api;
  const goBack = async () => {
    await rpc(node(), "evm_revert", [snapshot]);
    snapshot = await rpc(node(), "evm_snapshot");
  };
  const submit = async (transactions: object[], change = {}) => {
    const body = await signedOperation(running.api, signer, wallet.address, transactions, change);
    const path = `/channels/${channelId}/operations`;
    const { operation_id } = await running.api.ok<Operation>("POST", path, body);
    return await operation(operation_id);
  };
  const operation = (id: string) =>
    running.api.ok<Operation>("GET", `/channels/${channelId}/operations/${id}`);
  const confirmed = (id: string) =>
    running.api.until<Operation>(`/channels/${channelId}/operations/${id}`, "confirmed", "failed");
  /** How many of these the wallet has executed, as the chain has it. */
  const executed = async (operations: Operation[]) => {
    const chain = await Chain.connect(own.node.rpcUrl, { createdAt: 0 });
    const { latest } = await chain.heads();
    const answers = await Promise.all(
      operations.map(({ wallet_operation_id: id }) =>
        hasExecuted(chain, wallet.address as Hex, id ?? "", latest.number),
      ),
    );
    return answers.filter(Boolean).length;
  };

  before(async () => {
    data = temporaryFolder();
    await start();
    channelId = await running.api.channel();
    const created = await running.api.ok<Wallet>("POST", "/wallets", {
      name: "goes back",
      wallet_owner_address: signer.address,
      chain_selector: running.api.ready.chain_selector,
      wallet_type: "ecdsa",
      allowed_ecdsa_signers: [signer.address],
    });
    wallet = await running.api.until<Wallet>(`/wallets/${created.wallet_id}`, "deployed");
    snapshot = await rpc(node(), "evm_snapshot");
  });
  after(async () => {
    await kill();
    data.dispose();
  });

  it("are all executed again, however often the service is killed and the chain is reset meanwhile", async () => {
    const { api } = running;
    const operations = await Promise.all(
      Array.from({ length: OPERATIONS }, () => submit([callOf(api, "Counter", "increment")])),
    );
    for (const { operation_id } of operations)
      should((await confirmed(operation_id)).status).equal("confirmed");
    for (const share of [0.1, 0.5, 0.9]) {
      await kill();
      await goBack();
      should(await executed(operations)).equal(0);
      await start();
      await eventually("some to be back", async () =>
        (await executed(operations)) >= share * OPERATIONS ? true : undefined,
      );
    }
    await kill();
    await start();
    await eventually("all to be back", async () =>
      (await executed(operations)) === OPERATIONS ? true : undefined,
    );
    for (const { operation_id } of operations)
      should((await operation(operation_id)).status).equal("confirmed");
    const counts = await eventually("nothing more to be done", async () => {
      const page = await (await fetch(running.api.ready.base_url)).text();
      return page.includes("that the chain may have lost") ? undefined : page;
    });
    should(counts).not.match(/cannot be\s+executed again/);
  });

  it("are on the start page and in the log where they cannot be executed again, also after restarts", async () => {
    const { api } = running;
    const deadline = Math.floor(Date.now() / 1000) + 3600;
    const late = await submit([callOf(api, "Counter", "increment")], { deadline });
    await api.ok("POST", "/local/faucet", { to: wallet.address, amount: "10" });
    const poor = await submit([callOf(api, "DemoToken", "transfer", [signer.address, 10n])]);
    for (const { operation_id } of [late, poor])
      should((await confirmed(operation_id)).status).equal("confirmed");
    await kill();
    await goBack();
    await rpc(node(), "evm_increaseTime", [7200]);
    await rpc(node(), "evm_mine");
    await start();
    const page = async () => await (await fetch(running.api.ready.base_url)).text();
    const told = await eventually("the two to be given up", async () => {
      const text = await page();
      return text.includes("2 confirmed operations are not on the chain any more") ? text : undefined;
    });
    should(told)
      .match(/the deadline passed/)
      .and.match(/InsufficientBalance/);
    for (const { operation_id } of [late, poor]) {
      should(told).containEql(operation_id);
      should(running.errors()).match(
        new RegExp(`The operation ${operation_id} is confirmed, the chain has lost it, and it cannot be`),
      );
    }
    await kill();
    await start();
    should(await page()).match(/2 confirmed operations are not on the chain any more/);
  });
});
