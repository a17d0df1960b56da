import {
  type Address,
  type Hex,
  type RsaPublicKey,
  WALLET_STATUSES,
  type Wallet,
  type WalletStatus,
  type WalletType,
} from "../../../src/protocol/index.ts";
import type { Page, PageRequest } from "./lists.ts";
import {
  Conditions,
  defined,
  integer,
  json,
  optionalText,
  type Row,
  type SentTransaction,
  sentTransaction,
  text,
} from "./rows.ts";
import { nameContains, type Shared, shownStatuses, Table } from "./table.ts";

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

export class Wallets extends Table<StoredWallet> {
  constructor(shared: Shared) {
    super(shared, "wallets", "wallet_id", toWallet);
  }

  create(wallet: StoredWallet): void {
    this.insert({
      ...{ wallet_id: wallet.walletId, name: wallet.name, description: wallet.description },
      ...{ address: wallet.address, owner: wallet.owner, chain_selector: wallet.chainSelector },
      ...{ type: wallet.type, status: wallet.status, status_channel_id: wallet.statusChannelId },
      ...{ ecdsa_signers: wallet.ecdsaSigners, rsa_signers: wallet.rsaSigners },
      ...{ configuration: wallet.configuration, was_deployed: Number(wallet.wasDeployed) },
      created_at: wallet.createdAt,
    });
  }

  atAddress(chainSelector: string, address: string): StoredWallet | undefined {
    return this.find("chain_selector = ? AND lower(address) = lower(?)", chainSelector, address);
  }

  named(name: string): StoredWallet | undefined {
    return this.find("name = ?", name);
  }

  withStatus(chainSelector: string, ...status: WalletStatus[]): StoredWallet[] {
    return this.all(new Conditions().equal("chain_selector", chainSelector).oneOf("status", status));
  }

  list(filter: WalletFilter): Promise<Page<StoredWallet>> {
    const { address } = filter;
    const conditions = nameContains(filter.name)
      .equal("chain_selector", filter.chainSelector)
      .equal("lower(owner)", filter.owner?.toLowerCase())
      .equal("type", filter.type);
    // A wallet that was never deployed shows no address.
    if (address !== undefined) conditions.add("was_deployed");
    const indexed = [
      { status: shownStatuses(filter.status, WALLET_STATUSES) },
      ...(address === undefined ? [] : [{ "lower(address)": address.toLowerCase() }]),
    ];
    return this.page({ step: 1, indexed, conditions }, filter);
  }

  describe(walletId: string, name: string, description: string | undefined): void {
    this.change(walletId, { name, description });
  }

  setStatus(walletId: string, status: WalletStatus): void {
    this.change(walletId, { status, ...(status === "deployed" ? { was_deployed: 1 } : {}) });
  }

  setSent(walletId: string, { raw, hash }: SentTransaction): void {
    this.change(walletId, { raw_transaction: raw, transaction_hash: hash });
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
