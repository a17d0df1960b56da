import { ArgumentError, CrecError } from "../errors.ts";
import { type CallOptions, callOptions } from "../http/index.ts";
import { anyText, checkedBy, listOf, optional, request, text } from "../options/index.ts";
import {
  canonicalAddress,
  canonicalId,
  type Open,
  PAGE_LIMITS,
  WALLET_LIFECYCLE,
  type Wallet,
  type WalletStatus,
  type WalletType,
} from "../protocol/index.ts";
import type { Events } from "./events.ts";
import { findIn, type Listing, listing, listingOf } from "./lists/pages.ts";
import { type AnsweredField, addressOf, differencesOf, requireAnswerTo } from "./requests/answer-to.ts";
import { checkDescription, checkName, paging, pathId, resourceOf } from "./requests/checks.ts";
import { createOrFind } from "./requests/create-or-find.ts";
import type { ResourceTransport } from "./requests/resource-transport.ts";
import { type CreateWallet, signersOf, walletOf } from "./requests/wallet-request.ts";
import { readStatusEvents, type StatusEvents, statusReason } from "./waits/status-events.ts";
import { type WaitOptions, waitForStatus } from "./waits/wait.ts";

/** What to change of a wallet. */
export type UpdateWallet = {
  /** The new name. */
  name?: string | undefined;
  /** The new description. It cannot be removed: a blank one is refused. */
  description?: string | undefined;
};

/** Filters of a list of wallets. Each one narrows the list; several of them apply together. */
export type ListWallets = {
  /** A part of the name, in any case. */
  name?: string | undefined;
  /** The network of the wallet. */
  chain_selector?: string | undefined;
  /** All main networks, or all test networks. */
  chain_environment?: Open<"mainnet" | "testnet"> | undefined;
  /** The address of the owner. */
  owner?: string | undefined;
  /** The address of the wallet. */
  address?: string | undefined;
  /** The type of the wallet. */
  type?: Open<WalletType> | undefined;
  /** One of these statuses. Without it, archived wallets are left out. */
  status?: ReadonlyArray<Open<WalletStatus>> | undefined;
  /**
   * The size of a page, at most 100.
   * @default 50
   */
  limit?: number | undefined;
  /**
   * How many items to skip.
   * @default 0
   */
  offset?: number | undefined;
};

/** The wallets of the organization: smart accounts that execute operations. */
export class Wallets {
  readonly #transport: ResourceTransport;
  readonly #events: Events;

  constructor(transport: ResourceTransport, events: Events) {
    this.#transport = transport;
    this.#events = events;
  }

  /**
   * Creates a wallet. It is deployed after that: wait for `deployed`.
   * @throws {ArgumentError} `INVALID_ADDRESS`, `INVALID_ARGUMENT`.
   * @example
   * const wallet = await client.wallets.create({
   *   name: "payer",
   *   chain_selector: network,
   *   wallet_type: "ecdsa",
   *   wallet_owner_address: signer.address,
   *   allowed_ecdsa_signers: [signer.address],
   * });
   */
  async create(wallet: CreateWallet, options?: CallOptions): Promise<Wallet> {
    const requested = walletOf(wallet);
    const allowed_signers = signersOf(requested);
    // In both the new and the old form, so that every version of the service reads the signers.
    const { status_channel_id } = requested;
    const isAdded = allowed_signers !== undefined && requested.configuration?.allowed_signers === undefined;
    const configuration = { ...requested.configuration, ...(isAdded ? { allowed_signers } : {}) };
    const body = {
      ...requested,
      ...(status_channel_id === undefined ? {} : { status_channel_id: canonicalId(status_channel_id) }),
      ...(Object.keys(configuration).length > 0 ? { configuration } : {}),
    };
    const created = resourceOf<Wallet>(await this.#transport.post("/wallets", body, options), "wallet_id");
    requireAnswerTo("wallet", [
      ["name", created.name?.trim(), requested.name.trim()],
      ...sameFields(created, requested),
    ]);
    return created;
  }

  /** The wallet as the service shows it now. @throws {NotFoundError} `WALLET_NOT_FOUND`. */
  async get(walletId: string, options?: CallOptions): Promise<Wallet> {
    return resourceOf(await this.#transport.get(walletPath(walletId), {}, options), "wallet_id", walletId);
  }

  /**
   * The wallets of the organization.
   * @example
   * const { data } = await client.wallets.list({ chain_selector: network, status: ["deployed"] });
   */
  list(filter: ListWallets = {}, options?: CallOptions): Listing<Wallet> {
    return listingOf(() =>
      listing({
        noun: "wallet",
        filter: filterOf(filter, "filter"),
        limits: PAGE_LIMITS.wallets,
        get: (query) => this.#transport.get("/wallets", query, options),
      }),
    );
  }

  /** Changes the name or the description of a wallet. */
  async update(walletId: string, changes: UpdateWallet, options?: CallOptions): Promise<Wallet> {
    const path = walletPath(walletId);
    const body = changesOf(changes, "changes");
    const call = { ...callOptions(options), method: "PATCH", path, body, idempotent: true } as const;
    return resourceOf(await this.#transport.request(call), "wallet_id", walletId);
  }

  /** Archives a wallet immediately. An archived wallet takes no new operations. */
  async archive(walletId: string, options?: CallOptions): Promise<Wallet> {
    const archived = await this.#transport.patch(walletPath(walletId), { status: "archived" }, options);
    return resourceOf(archived, "wallet_id", walletId);
  }

  /**
   * Waits until a wallet has reached a status.
   * @throws {WaitError} `WAIT_TIMEOUT`, `WALLET_FAILED`, `WALLET_ARCHIVED`.
   * @example
   * const { address } = await client.wallets.waitFor(wallet.wallet_id, { target: "deployed", timeoutMs: 60_000 });
   */
  async waitFor(walletId: string, options: WaitOptions<WalletStatus, Wallet>): Promise<Wallet> {
    walletPath(walletId);
    return waitForStatus(
      {
        noun: "wallet",
        id: walletId,
        lifecycle: WALLET_LIFECYCLE,
        get: (signal) => this.get(walletId, { signal }),
        events: async (wallet, signal) => {
          const statusEvents = statusEventsOf(wallet);
          if (statusEvents) return readStatusEvents(this.#events, statusEvents, { signal });
          const message = "This wallet has no status channel. Leave `by` out to wait by the resource.";
          throw new ArgumentError("by", message);
        },
        reason: async (wallet, signal) => {
          const statusEvents = statusEventsOf(wallet);
          return statusEvents && statusReason(this.#events, statusEvents, [wallet.status], signal);
        },
        closing: this.#transport.closing,
      },
      options,
    );
  }

  /** The wallet with exactly this name, unless it is archived. */
  async findByName(name: string, options?: CallOptions): Promise<Wallet | undefined> {
    checkName(name);
    return this.#transport.findNamed("/wallets", name, () => this.#named(name, {}, options), options);
  }

  async #named(name: string, filter: ListWallets, options?: CallOptions): Promise<Wallet | undefined> {
    const wallets = this.list({ ...filter, name, limit: PAGE_LIMITS.wallets.max }, options);
    return findIn(wallets, (wallet) => wallet.name === name);
  }

  /**
   * The wallet with this name, created if it does not exist. Its signers are not compared: the owner may have changed them.
   * @throws {CrecError} `WALLET_DIFFERS` when the wallet with this name has another network, owner or type.
   */
  async createOrFind(
    requested: CreateWallet,
    options?: CallOptions,
  ): Promise<{ wallet: Wallet; found: boolean }> {
    const { name } = walletOf(requested);
    const steps = {
      find: () => this.findByName(name, options),
      create: () => this.create(requested, options),
      findArchived: () => this.#named(name, { status: ["archived"] }, options),
      id: (one: Wallet) => one.wallet_id,
    };
    const { resource: wallet, found } = await createOrFind(this.#transport, steps, callOptions(options));
    if (found) checkSame(wallet, requested);
    return { wallet, found };
  }
}

const changesOf = request<UpdateWallet>({
  name: optional(checkedBy((name: string) => checkName(name))),
  description: checkedBy(checkDescription),
});

const filterOf = request<ListWallets>({
  name: optional(text),
  chain_selector: optional(text),
  chain_environment: optional(anyText()),
  owner: optional(text),
  address: optional(text),
  type: optional(anyText()),
  status: optional(listOf(anyText())),
  ...paging(PAGE_LIMITS.wallets),
});

function walletPath(walletId: string): string {
  return `/wallets/${pathId("walletId", walletId)}`;
}

function statusEventsOf({ wallet_id, status_channel_id: channelId }: Wallet): StatusEvents | undefined {
  return channelId ? { channelId, filter: { type: ["wallet.status"], wallet_id } } : undefined;
}

function sameFields(is: Wallet, requested: CreateWallet): AnsweredField[] {
  const { wallet_owner_address: owner } = requested;
  return [
    ["network", is.chain_selector, requested.chain_selector],
    ["owner", addressOf(is.wallet_owner_address), canonicalAddress(owner)],
    ["type", is.wallet_type, requested.wallet_type],
  ];
}

function checkSame(found: Wallet, requested: CreateWallet): void {
  const differences = differencesOf(sameFields(found, requested));
  if (differences === undefined) return;
  const message = `There is another wallet named "${requested.name}": ${differences}. Choose another name.`;
  throw new CrecError("WALLET_DIFFERS", message);
}
