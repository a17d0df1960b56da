import type { CreateWallet, Signer } from "../../src/index.ts";
import type { WalletRef } from "../common/fields/config-nodes.ts";
import { requireFit } from "../common/fields/fitting-signer.ts";
import { nodeError } from "../common/shared/errors.ts";

/**
 * A wallet that allows this signer, as the service takes it.
 * @throws SIGNER_TYPE_DIFFERS, WALLET_OWNER_MISSING
 */
export function newWallet(
  { label, chainSelector, type, owner, configuration }: WalletRef,
  signer: Signer,
): CreateWallet {
  const { kind, address, publicKey } = signer;
  requireFit(kind, type);
  const ownerAddress = owner ?? address;
  if (ownerAddress === undefined) {
    throw nodeError(
      "WALLET_OWNER_MISSING",
      `The wallet "${label}" needs an owner: its signer has an RSA key, which has no address. Open the wallet and enter the address that may change its signers.`,
    );
  }
  return {
    name: label,
    chain_selector: chainSelector,
    wallet_type: (type ?? kind) as CreateWallet["wallet_type"],
    wallet_owner_address: ownerAddress,
    ...(address === undefined ? {} : { allowed_ecdsa_signers: [address] }),
    ...(publicKey === undefined ? {} : { allowed_rsa_signers: [publicKey] }),
    ...(configuration === undefined ? {} : { configuration }),
  };
}
