import { join } from "node:path";
import should from "should";
import type { Operation, Wallet } from "../../src/protocol/index.ts";
import { generatePrivateKey, localEcdsaSigner } from "../../src/signing/index.ts";
import { eventually } from "../../test/support/eventually.ts";
import type { Chain } from "../src/chain/chain.ts";
import { Funds, FundsProblem, REFILL_MS } from "../src/chain/funds.ts";
import { startService } from "../src/index.ts";
import { useOwnNode } from "./own-node.ts";
import { callOf, signedOperation } from "./signed-operation.ts";
import { type Api, logTo, startTestService } from "./support.ts";
import { rpc } from "./transactions.ts";

/** 0.00001 ETH: nothing can be paid for with it. */
const TOO_LITTLE = "0x9184e72a000";
const ETHER = 10n ** 18n;
const PLENTY = "0x56bc75e2d63100000";

describe("the account that pays for gas", function () {
  this.timeout(120_000);
  const signer = localEcdsaSigner(generatePrivateKey());
  const own = useOwnNode();

  it("waits for coins when its balance is too low, and reports it in the log and on the start page", async () => {
    const started = await startOn();
    const { api, lines, address, hold } = started;
    try {
      const { wallet, submit, path } = await readyToSubmit(api);
      await hold(TOO_LITTLE);
      const operation = await submit();
      const pending = await newWallet(api, "second");
      const said = await eventually("a line of the log", () =>
        lines.find((line) =>
          line.startsWith(`The service's account ${address} on chain 31337 holds 0.00001 ETH`),
        ),
      );
      should(said).match(/needs up to 0\.\d+ ETH\. Send it 0\.\d+ ETH or more\.$/);
      const page = await (await fetch(api.ready.base_url)).text();
      should(page.replaceAll("&#39;", "'")).containEql("holds 0.00001 ETH, and the next transaction needs");
      await api.until<Operation>(path(operation), "sending");
      should((await api.ok<Wallet>("GET", `/wallets/${pending.wallet_id}`)).status).equal("pending");

      await hold(PLENTY);
      await api.until<Operation>(path(operation), "confirmed");
      await api.until<Wallet>(`/wallets/${pending.wallet_id}`, "deployed");
      should(wallet.status).equal("deployed");
      await eventually("the other line", () =>
        lines.find((line) => /ETH: waiting transactions are sent/.test(line)),
      );
      should(await (await fetch(api.ready.base_url)).text()).not.containEql("the next transaction needs");
      // Once for all that waited, however often it was tried.
      should(lines.filter((line) => line.includes("the next transaction needs"))).have.length(1);
    } finally {
      await hold(PLENTY);
      await started.dispose();
    }
  });

  it("makes an operation fail without coins in time, with address and amount in the reason", async () => {
    should(REFILL_MS).equal(600_000);
    const started = await startOn({ refillMs: 300 });
    const { api, address, hold } = started;
    try {
      const { submit, path, channelId } = await readyToSubmit(api);
      await hold(TOO_LITTLE);
      const operation = await submit();
      await api.until<Operation>(path(operation), "failed");
      const last = (await api.events(channelId)).findLast(({ payload }) => payload.status === "failed");
      const reason = String(last?.payload.status_reason);
      should(reason).startWith(`The service's account ${address} on chain 31337 holds 0.00001 ETH`);
      should(reason).match(/Send it 0\.\d+ ETH or more\. It waited 0\.3 s for that\.$/);
    } finally {
      await hold(PLENTY);
      await started.dispose();
    }
  });

  it("is sufficient again when the transaction that needed more does not wait any more", async () => {
    let time = 0;
    const lines: string[] = [];
    const chain = {
      network: { chain_id: "31337" },
      balance: async () => ETHER,
      rpc: async () => "0x3b9aca00",
    } as unknown as Chain;
    const funds = new Funds(
      chain,
      signer.address,
      logTo((line) => lines.push(line)),
      () => time,
    );
    should(() => funds.refuseBeyond(ETHER, 0n, 3n * ETHER)).throw(FundsProblem);
    for (; time < 25_000; time += 1000) await funds.watch();
    should(funds.shortage).match(/holds 1 ETH, .* needs up to 3 ETH\. Send it 2 ETH or more\.$/);
    for (; time < 45_000; time += 1000) await funds.watch();
    should(funds.shortage).be.undefined();
    should(lines).have.length(2);
  });

  it("is checked at the start before anything is sent", async () => {
    const lines: string[] = [];
    const relayerKey = generatePrivateKey();
    const { address } = localEcdsaSigner(relayerKey);
    await call("anvil_setBalance", [address, TOO_LITTLE]);
    const start = startService({
      ...{ dataDir: join(own.folder.path, "poor"), rpcUrl: own.node.rpcUrl, relayerKey },
      log: logTo((line) => lines.push(line)),
    });
    const said = new RegExp(
      `^The service's account ${address} on chain 31337 holds 0\\.00001 ETH.*Send it 0\\.`,
    );
    await should(start).be.rejectedWith({ name: "ServiceProblem", message: said });
    should(lines.filter((line) => said.test(line))).have.length(1);
  });

  async function startOn(options: { refillMs?: number } = {}) {
    const lines: string[] = [];
    const log = logTo((line) => lines.push(line));
    const { api, dispose } = await startTestService({ rpcUrl: own.node.rpcUrl, log, ...options });
    const { relayer } = await api.ok<{ relayer: string }>("GET", "/local/status");
    const hold = (balance: string) => call("anvil_setBalance", [relayer, balance]);
    return { api, dispose, lines, address: relayer, hold };
  }

  async function call(method: string, params: unknown[]): Promise<void> {
    await rpc({ ready: { rpc_url: own.node.rpcUrl } } as Api, method, params);
  }

  const newWallet = (api: Api, name: string) =>
    api.ok<Wallet>("POST", "/wallets", {
      ...{ name, wallet_owner_address: signer.address, chain_selector: api.ready.chain_selector },
      ...{ wallet_type: "ecdsa", allowed_ecdsa_signers: [signer.address] },
    });

  async function readyToSubmit(api: Api) {
    const channelId = await api.channel();
    const { wallet_id } = await newWallet(api, "first");
    const wallet = await api.until<Wallet>(`/wallets/${wallet_id}`, "deployed");
    const submit = async () => {
      const calls = [callOf(api, "Counter", "increment")];
      const operation = await signedOperation(api, signer, wallet.address, calls);
      return await api.ok<Operation>("POST", `/channels/${channelId}/operations`, operation);
    };
    const path = (operation: Operation) => `/channels/${channelId}/operations/${operation.operation_id}`;
    return { channelId, wallet, submit, path };
  }
});
