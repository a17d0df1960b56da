import { WALLET_LIFECYCLE } from "../../../src/protocol/index.ts";
import type { Receipt } from "../chain/chain-data.ts";
import { CoinWaits } from "../chain/funds.ts";
import { isRefusalForGood } from "../chain/node/refusals.ts";
import { revertReason } from "../chain/revert.ts";
import { accountAddress, deployAccountData } from "../chain/smart-account.ts";
import type { Context } from "../context.ts";
import { conflict, messageOf, refuseTakenName } from "../errors.ts";
import { type StoredWallet, shownAddress } from "../store/wallets.ts";
import { now } from "../time.ts";
import { each } from "./retries.ts";
import { StatusMachine } from "./status-machine.ts";
import { TransactionTracker } from "./transaction-tracker.ts";

type NewWallet = Omit<StoredWallet, "walletId" | "address" | "status" | "wasDeployed" | "createdAt" | "sent">;

/** Enough gas to get a deployment into a block, and not enough to deploy: it really fails. */
const TOO_LITTLE_GAS = 60_000n;

const walletStatuses = new StatusMachine({
  eventType: "wallet.status",
  lifecycle: WALLET_LIFECYCLE,
  get: (store, id) => store.wallets.get(id),
  setStatus: (store, id, to) => store.wallets.setStatus(id, to),
  eventOf: (wallet: StoredWallet, { reason = "" }) =>
    wallet.statusChannelId === undefined
      ? undefined
      : {
          channelId: wallet.statusChannelId,
          payload: {
            wallet_id: wallet.walletId,
            status: wallet.status,
            status_reason: reason,
            address: shownAddress(wallet),
            chain_selector: wallet.chainSelector,
            timestamp: now(),
          },
        },
});

/**
 * Creates a wallet, `pending` until its deployment is sent. Its address is known from the start.
 *
 * @throws ApiError 409 `WALLET_ALREADY_EXISTS` when the name is taken.
 */
export function createWallet(context: Context, input: NewWallet): StoredWallet {
  const { store, contracts, ticker } = context;
  refuseTakenName("wallet", store.wallets.named(input.name));
  const walletId = store.ids.next("wallets");
  const wallet = walletStatuses.create(store, () => {
    store.wallets.create({
      ...input,
      walletId,
      address: accountAddress(contracts.SmartAccountFactory, walletId),
      status: "pending",
      wasDeployed: false,
      createdAt: now(),
    });
    return walletId;
  });
  ticker.wake();
  return wallet;
}

/**
 * Renames, describes or archives a wallet.
 *
 * @throws ApiError 409 with nothing changed when the wallet is archived or the name is taken.
 */
export function updateWallet(
  { store }: Context,
  wallet: StoredWallet,
  change: { name?: string; description?: string; status?: "archived" },
): StoredWallet {
  refuseArchivedWallet(wallet);
  const { name = wallet.name, description = wallet.description, status } = change;
  if (name !== wallet.name) refuseTakenName("wallet", store.wallets.named(name));
  store.transaction(() => {
    store.wallets.describe(wallet.walletId, name, description);
    if (status !== undefined) walletStatuses.move(store, wallet.walletId, status);
  });
  return walletStatuses.find(store, wallet.walletId);
}

/** @throws ApiError 409 `WALLET_ALREADY_ARCHIVED` */
export function refuseArchivedWallet(wallet: StoredWallet): void {
  if (wallet.status !== "archived") return;
  throw conflict(`The wallet ${JSON.stringify(wallet.name)} is archived.`, "WALLET_ALREADY_ARCHIVED");
}

/** Whether a wallet that the chain has lost can be deployed again at its address: its factory must still be there. */
export function canDeployAgain(
  { contracts }: Context,
  { walletId, address }: Pick<StoredWallet, "walletId" | "address">,
): boolean {
  return accountAddress(contracts.SmartAccountFactory, walletId) === address;
}

/** Deploys wallets: `pending → deploying → deployed | failed`. */
export class WalletDeployer {
  readonly #context: Context;
  readonly #transactions: TransactionTracker;
  readonly #coinWaits: CoinWaits;
  /** Deployed wallets that are not on the chain any more. */
  readonly #lost = new Set<string>();
  /** Deployments that a tester made fail, with their reasons. */
  readonly #failing = new Map<string, string>();

  constructor(context: Context) {
    this.#context = context;
    this.#transactions = new TransactionTracker(context);
    this.#coinWaits = new CoinWaits(context.refillMs);
  }

  async advance(): Promise<void> {
    const { store, chain, log } = this.#context;
    const selector = chain.network.chain_selector;
    const report = { log, with: ({ walletId }: StoredWallet) => `wallet ${walletId}` };
    const pending = store.wallets.withStatus(selector, "pending");
    await each(pending, (wallet) => this.#deploy(wallet), report);
    const deploying = store.wallets.withStatus(selector, "deploying");
    await each(deploying, (wallet) => this.#follow(wallet), report);
    const lost = store.wallets
      .withStatus(selector, "deployed")
      .filter(({ walletId }) => this.#lost.has(walletId));
    await each(lost, (wallet) => this.#restore(wallet), report);
  }

  /** Call it when the chain may have been reset: its newest wallets may be gone. They are deployed again. */
  async findLost(): Promise<void> {
    const { store, chain, log } = this.#context;
    for (const wallet of store.wallets.withStatus(chain.network.chain_selector, "deployed")) {
      if ((await chain.code(wallet.address)) !== "0x") continue;
      log.warn(`The chain has lost the wallet ${wallet.name} at ${wallet.address}; deploying it again.`);
      this.#lost.add(wallet.walletId);
    }
  }

  async #restore(wallet: StoredWallet): Promise<void> {
    const { chain, log } = this.#context;
    if ((await chain.code(wallet.address)) !== "0x") {
      this.#lost.delete(wallet.walletId);
    } else if (!canDeployAgain(this.#context, wallet)) {
      this.#lost.delete(wallet.walletId);
      log.error(
        `The wallet ${wallet.name} cannot be deployed again at ${wallet.address}: the factory that made it is gone. Create another wallet.`,
      );
    } else {
      await this.#sendUnlessWaiting(wallet);
    }
  }

  async #deploy(wallet: StoredWallet): Promise<void> {
    const { store, injected } = this.#context;
    // Taken once, however often the chain does not answer.
    const failure = this.#failing.get(wallet.walletId) ?? injected.failures.take("deployment");
    if (failure !== undefined) this.#failing.set(wallet.walletId, failure);
    try {
      await this.#send(wallet, () => {
        if (walletStatuses.move(store, wallet.walletId, "deploying") === undefined) throw new Archived();
      });
    } catch (error) {
      const { walletId } = wallet;
      if (error instanceof Archived) {
        this.#failing.delete(walletId);
        return;
      }
      const reason = isRefusalForGood(error)
        ? messageOf(error)
        : this.#coinWaits.failureReason(walletId, error);
      if (reason === undefined) return;
      walletStatuses.move(store, walletId, "failed", { reason: failure ?? reason });
      this.#failing.delete(walletId);
    }
  }

  async #follow(wallet: StoredWallet): Promise<void> {
    const { store, chain } = this.#context;
    const outcome = await this.#sendUnlessWaiting(wallet);
    if (outcome === "waiting") return;
    // What counts is the contract, not which transaction deployed it.
    if ((await chain.code(wallet.address)) !== "0x") walletStatuses.move(store, wallet.walletId, "deployed");
    else
      walletStatuses.move(store, wallet.walletId, "failed", { reason: await this.#whyNot(wallet, outcome) });
    this.#failing.delete(wallet.walletId);
  }

  async #whyNot(wallet: StoredWallet, receipt: Receipt): Promise<string> {
    const asked = this.#failing.get(wallet.walletId);
    if (asked !== undefined) return asked;
    const { chain, relayer, contracts } = this.#context;
    const data = deployAccountData(wallet.walletId, wallet);
    const call = { from: relayer.address, to: contracts.SmartAccountFactory, data };
    const { reason } = await revertReason(chain, call, receipt);
    return `the deployment failed: ${reason}`;
  }

  /** Tracks the deployment, and sends another transaction where the chain does not take the first any more. */
  async #sendUnlessWaiting(wallet: StoredWallet): Promise<Receipt | "waiting"> {
    const outcome = wallet.sent === undefined ? "gone" : await this.#transactions.track(wallet.sent);
    if (outcome !== "gone") return outcome;
    if ((await this.#context.chain.code(wallet.address)) === "0x") await this.#send(wallet);
    return "waiting";
  }

  async #send(wallet: StoredWallet, beforeBroadcast?: () => void): Promise<void> {
    const { store, contracts } = this.#context;
    const data = deployAccountData(wallet.walletId, wallet);
    const gas = this.#failing.has(wallet.walletId) ? { gas: TOO_LITTLE_GAS } : {};
    const request = { to: contracts.SmartAccountFactory, data, ...gas };
    await this.#transactions.send(request, (signed) =>
      store.transaction(() => {
        store.wallets.setSent(wallet.walletId, signed);
        beforeBroadcast?.();
      }),
    );
    this.#coinWaits.done(wallet.walletId);
  }
}

/** The wallet was archived while its deployment was prepared: nothing is sent. */
class Archived extends Error {}
