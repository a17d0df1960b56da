import { WALLET_LIFECYCLE } from "../../../src/protocol/index.ts";
import { accountAddress } from "../chain/smart-account.ts";
import type { Context } from "../context.ts";
import { conflict, nameTaken } from "../errors.ts";
import type { Store } from "../store/store.ts";
import { type StoredWallet, shownAddress } from "../store/wallets.ts";
import { now } from "../time.ts";
import { StatusMachine } from "./status-machine.ts";

type NewWallet = Omit<StoredWallet, "walletId" | "address" | "status" | "wasDeployed" | "createdAt" | "sent">;

export const walletStatuses = new StatusMachine({
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
  refuseTakenName(store, input.name);
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
  if (name !== wallet.name) refuseTakenName(store, name);
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

/** Names are unique in the organization, those of archived wallets too. */
function refuseTakenName(store: Store, name: string): void {
  const holder = store.wallets.named(name);
  if (holder !== undefined) throw nameTaken("wallet", holder, "WALLET_ALREADY_EXISTS");
}
