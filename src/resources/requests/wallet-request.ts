import { ArgumentError } from "../../errors.ts";
import { aList, anything, jsonObject, optional, reading, request } from "../../options/index.ts";
import {
  LIMITS,
  type Open,
  RSA_PATTERNS,
  type RsaPublicKey,
  WALLET_TYPES,
  type WalletType,
} from "../../protocol/index.ts";
import { checkAddress, checkDescription, checkName, checkSelector, pathId } from "./checks.ts";

/** A wallet to create. */
export type CreateWallet = {
  /** Unique in the organization. */
  name: string;
  /** Free text for people. */
  description?: string | undefined;
  /** The address that may change the signers on chain. */
  wallet_owner_address: string;
  /** The network to deploy it on. */
  chain_selector: string;
  /** What signs for it. A type that this version does not list, `unlisted("multisig")`, needs its `configuration`. */
  wallet_type: Open<WalletType>;
  /** The addresses whose keys may sign, of a type with ECDSA keys: at most 10. */
  allowed_ecdsa_signers?: readonly string[] | undefined;
  /** The public keys that may sign, of a type with RSA keys: at most 10. */
  allowed_rsa_signers?: readonly RsaPublicKey[] | undefined;
  /**
   * Other settings of the wallet type, sent as they are. The signers of the fields above are added as `allowed_signers`,
   * unless `configuration` has these itself.
   */
  configuration?: Readonly<Record<string, unknown>> | undefined;
  /** The channel that gets the wallet's status events. Without it, there are none. */
  status_channel_id?: string | undefined;
};

/** The signers of the field that the wallet type uses. */
export function signersOf(wallet: CreateWallet): ReadonlyArray<string | RsaPublicKey> | undefined {
  return wallet[signerFieldOf(wallet)];
}

/** The kind of signers of a type that this version does not list is not known: then it is the field that is given. */
function signerFieldOf(wallet: CreateWallet): "allowed_rsa_signers" | "allowed_ecdsa_signers" {
  const { wallet_type: type } = wallet;
  const isRsa = isKnownType(type) ? type.endsWith("rsa") : wallet.allowed_rsa_signers !== undefined;
  return isRsa ? "allowed_rsa_signers" : "allowed_ecdsa_signers";
}

function isKnownType(type: string): boolean {
  return WALLET_TYPES.some((known) => known === type);
}

/** A request, checked. @throws {ArgumentError} with the path of the value. */
export function walletOf(given: CreateWallet): CreateWallet {
  const wallet = readWallet(given, "wallet");
  reading("wallet", () => checkWallet(wallet));
  return wallet;
}

const readWallet = request<CreateWallet>({
  // These have checks of their own.
  ...{ name: anything(), description: anything(), wallet_owner_address: anything() },
  ...{ chain_selector: anything(), wallet_type: anything(), status_channel_id: anything() },
  allowed_ecdsa_signers: optional(aList()),
  allowed_rsa_signers: optional(aList()),
  configuration: optional(jsonObject),
});

function checkWallet(wallet: CreateWallet): void {
  checkName(wallet.name);
  checkDescription(wallet.description);
  checkAddress("wallet_owner_address", wallet.wallet_owner_address);
  checkSelector(wallet.chain_selector);
  if (wallet.status_channel_id !== undefined) pathId("status_channel_id", wallet.status_channel_id);
  const { configuration } = wallet;
  const { wallet_type: type } = wallet;
  if (!isKnownType(type) && (configuration === undefined || typeof type !== "string" || type.trim() === "")) {
    const message = `wallet_type must be one of ${WALLET_TYPES.join(", ")}, or another type with its configuration.`;
    throw new ArgumentError("wallet_type", message);
  }
  const field = signerFieldOf(wallet);
  const other = field === "allowed_rsa_signers" ? "allowed_ecdsa_signers" : "allowed_rsa_signers";
  if (wallet[other] !== undefined) {
    throw new ArgumentError(
      other,
      `A wallet of the type ${wallet.wallet_type} takes ${field}, not ${other}.`,
    );
  }
  checkSigners(field, signersOf(wallet) ?? []);
}

function checkSigners(field: string, signers: ReadonlyArray<string | RsaPublicKey>): void {
  if (signers.length > LIMITS.walletSigners) {
    throw new ArgumentError(
      field,
      `A wallet has at most ${LIMITS.walletSigners} signers, not ${signers.length}.`,
    );
  }
  const seen = new Set<string>();
  for (const [index, signer] of signers.entries()) {
    const path = `${field}[${index}]`;
    if (field === "allowed_ecdsa_signers") checkAddress(path, signer as string);
    else checkRsaKey(path, signer as RsaPublicKey);
    const identity = JSON.stringify(signer).toLowerCase();
    if (seen.has(identity)) throw new ArgumentError(path, `${path} is a duplicate. Give each signer once.`);
    seen.add(identity);
  }
}

function checkRsaKey(path: string, key: RsaPublicKey): void {
  const { e, n } = (key ?? {}) as Partial<RsaPublicKey>;
  if (typeof e === "string" && typeof n === "string" && RSA_PATTERNS.e.test(e) && RSA_PATTERNS.n.test(n))
    return;
  throw new ArgumentError(path, `${path} must be a public key of 2048 bits: e and n as 0x hex.`);
}
