import type { Signer } from "../../../src/index.ts";
import { nodeError } from "../shared/errors.ts";
import { type KeyKind, keyOfWallet } from "../shared/wallet-types.ts";

const NAMES: Readonly<Record<KeyKind, string>> = { ecdsa: "ECDSA", rsa: "RSA" };

/**
 * The same signer, if a wallet of this type takes signatures of its key. Types that this version does not know take any.
 * @throws SIGNER_TYPE_DIFFERS
 */
export function fittingSigner(signer: Signer, walletType: string | undefined): Signer {
  const key = keyOfWallet(walletType);
  if (key === undefined || key === signer.kind) return signer;
  throw nodeError(
    "SIGNER_TYPE_DIFFERS",
    `The signer has an ${NAMES[signer.kind]} key, and the wallet is of type ${walletType}, which takes signatures of ${NAMES[key]} keys only. Nothing was signed. Choose another signer or wallet.`,
  );
}
