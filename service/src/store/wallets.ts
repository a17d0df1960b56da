import type { DatabaseSync } from "node:sqlite";
import {
  type Address,
  type Hex,
  type RsaPublicKey,
  WALLET_STATUSES,
  type Wallet,
  type WalletStatus,
  type WalletType,
} from "../../../src/protocol/index.ts";
import { nameContains, shownStatuses } from "./channels.ts";
import { type List, type Page, type PageRequest, pageOfList } from "./lists.ts";
import { Conditions, defined, integer, json, optionalText, type Row, text } from "./rows.ts";
import { type SentTransaction, sentTransaction } from "./sent-transaction.ts";
import type { Yielder } from "./yielder.ts";

/** A wallet with internal fields, such as the transaction that deploys it. */
export type StoredWallet = {
  walletId: string;
  name: string;
  description?: string;
  address: Address;
  owner: Address;
  chainSelector: string;
  type: WalletType;
  status: WalletStatus;
  statusChannelId?: string;
  ecdsaSigners: Address[];
  rsaSigners: RsaPublicKey[];
  /** As it was sent, with any other members. */
  configuration?: Record<string, unknown>;
  /** Whether it has ever been on the chain. */
  wasDeployed: boolean;
  createdAt: number;
  sent?: SentTransaction;
};

type WalletFilter = PageRequest & {
  name?: string;
  status?: string[];
  chainSelector?: string;
  owner?: string;
  address?: string;
  type?: string;
};

export class Wallets {
  readonly #database: DatabaseSync;
  readonly #yielder: Yielder;

  constructor(database: DatabaseSync, yielder: Yielder) {
    this.#database = database;
    this.#yielder = yielder;
  }

  create(wallet: StoredWallet): void {
    this.#database
      .prepare(
        `INSERT INTO wallets (wallet_id, name, description, address, owner, chain_selector, type, status,
           status_channel_id, ecdsa_signers, rsa_signers, configuration, was_deployed, created_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        wallet.walletId,
        wallet.name,
        wallet.description ?? null,
        wallet.address,
        wallet.owner,
        wallet.chainSelector,
        wallet.type,
        wallet.status,
        wallet.statusChannelId ?? null,
        JSON.stringify(wallet.ecdsaSigners),
        JSON.stringify(wallet.rsaSigners),
        wallet.configuration === undefined ? null : JSON.stringify(wallet.configuration),
        Number(wallet.wasDeployed),
        wallet.createdAt,
      );
  }

  get(walletId: string): StoredWallet | undefined {
    const row = this.#database.prepare("SELECT * FROM wallets WHERE wallet_id = ?").get(walletId);
    return row === undefined ? undefined : toWallet(row as Row);
  }

  atAddress(chainSelector: string, address: string): StoredWallet | undefined {
    const row = this.#database
      .prepare("SELECT * FROM wallets WHERE chain_selector = ? AND lower(address) = lower(?)")
      .get(chainSelector, address);
    return row === undefined ? undefined : toWallet(row as Row);
  }

  named(name: string): StoredWallet | undefined {
    const row = this.#database.prepare("SELECT * FROM wallets WHERE name = ?").get(name);
    return row === undefined ? undefined : toWallet(row as Row);
  }

  withStatus(chainSelector: string, ...status: WalletStatus[]): StoredWallet[] {
    return new Conditions()
      .equal("chain_selector", chainSelector)
      .oneOf("status", status)
      .select(this.#database, "wallets", { order: "sequence" })
      .map(toWallet);
  }

  list(filter: WalletFilter): Promise<Page<StoredWallet>> {
    const conditions = nameContains(filter.name)
      .noneOf("wallet_id", filter.absent)
      .equal("chain_selector", filter.chainSelector)
      .equal("lower(owner)", filter.owner?.toLowerCase())
      .equal("type", filter.type);
    // A wallet that was never deployed shows no address.
    if (filter.address !== undefined) conditions.add("was_deployed");
    const list: List = {
      table: "wallets",
      step: 1,
      indexed: [
        { status: shownStatuses(filter.status, WALLET_STATUSES) },
        ...(filter.address === undefined ? [] : [{ "lower(address)": filter.address.toLowerCase() }]),
      ],
      conditions,
    };
    return pageOfList({ database: this.#database, yielder: this.#yielder }, list, filter, toWallet);
  }

  describe(walletId: string, name: string, description: string | undefined): void {
    this.#database
      .prepare("UPDATE wallets SET name = ?, description = ? WHERE wallet_id = ?")
      .run(name, description ?? null, walletId);
  }

  setStatus(walletId: string, status: WalletStatus): void {
    this.#database
      .prepare("UPDATE wallets SET status = ?, was_deployed = max(was_deployed, ?) WHERE wallet_id = ?")
      .run(status, Number(status === "deployed"), walletId);
  }

  setSent(walletId: string, sent: SentTransaction): void {
    this.#database
      .prepare("UPDATE wallets SET raw_transaction = ?, transaction_hash = ? WHERE wallet_id = ?")
      .run(sent.raw, sent.hash, walletId);
  }
}

/** The address as the API returns it: empty until the wallet is deployed. */
export function shownAddress({ address, wasDeployed }: StoredWallet): Address | "" {
  return wasDeployed ? address : "";
}

/** As the API returns it, with the signers in the older and the newer field. */
export function shownWallet(wallet: StoredWallet): Wallet {
  const isRsa = wallet.type.endsWith("rsa");
  return defined({
    wallet_id: wallet.walletId,
    name: wallet.name,
    description: wallet.description,
    address: shownAddress(wallet) as string,
    wallet_owner_address: wallet.owner as string,
    chain_selector: wallet.chainSelector,
    wallet_type: wallet.type,
    status: wallet.status,
    status_channel_id: wallet.statusChannelId,
    configuration: {
      ...wallet.configuration,
      allowed_signers: isRsa ? wallet.rsaSigners : wallet.ecdsaSigners,
    },
    allowed_ecdsa_signers: wallet.ecdsaSigners as string[],
    allowed_rsa_signers: wallet.rsaSigners,
    created_at: wallet.createdAt,
  });
}

function toWallet(row: Row): StoredWallet {
  return defined({
    walletId: text(row, "wallet_id"),
    name: text(row, "name"),
    description: optionalText(row, "description"),
    address: text(row, "address") as Hex,
    owner: text(row, "owner") as Hex,
    chainSelector: text(row, "chain_selector"),
    type: text(row, "type") as WalletType,
    status: text(row, "status") as WalletStatus,
    statusChannelId: optionalText(row, "status_channel_id"),
    ecdsaSigners: json<Address[]>(row, "ecdsa_signers"),
    rsaSigners: json<RsaPublicKey[]>(row, "rsa_signers"),
    configuration:
      row.configuration === null ? undefined : json<Record<string, unknown>>(row, "configuration"),
    wasDeployed: integer(row, "was_deployed") === 1,
    createdAt: integer(row, "created_at"),
    sent: sentTransaction(row),
  });
}
