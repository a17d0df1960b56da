import type { Hex } from "../../../src/protocol/index.ts";
import { isRsaSignature } from "../../../src/signing/rsa.ts";
import { recoverSigner } from "../../../src/signing/signature.ts";
import { ECDSA_SIGNATURE_LENGTH, isSigner } from "../chain/smart-account.ts";
import type { Context } from "../context.ts";
import { invalid } from "../errors.ts";
import type { StoredWallet } from "../store/wallets.ts";

/** Of the two forms of a signature, the wallet accepts only the one with the lower s. */
const HALF_CURVE_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/**
 * Checks, as the wallet contract does, that a signature is from an allowed signer.
 *
 * @throws ApiError 400 `VALIDATION_ERROR`; what `isSigner` throws when the chain cannot be asked.
 */
export async function checkSignature(
  context: Context,
  wallet: StoredWallet,
  digest: Hex,
  signature: Hex,
): Promise<void> {
  if (wallet.type.endsWith("rsa")) {
    if (wallet.rsaSigners.some((key) => isRsaSignature(key, digest, signature))) return;
    throw invalid("signature is not that of an RSA key allowed on the wallet.");
  }
  if (signature.length !== ECDSA_SIGNATURE_LENGTH)
    throw invalid("signature must have 65 bytes: the wallet's signers are ECDSA keys.");
  if (!/(0[01]|1[bc])$/i.test(signature) || BigInt(`0x${signature.slice(66, 130)}`) > HALF_CURVE_ORDER) {
    throw invalid(
      "signature must end in a recovery byte of 0, 1, 27 or 28 and have a low s: the wallet contract takes no other form.",
    );
  }
  let signer: Hex;
  try {
    signer = recoverSigner(digest, signature);
  } catch {
    throw invalid("signature does not belong to any key.");
  }
  const { chain } = context;
  if (await chain.atNewHead(() => isSigner(chain, wallet.address, signer))) return;
  throw invalid(
    `The signer ${signer} is not allowed on the wallet, or what was signed is not this operation on chain ${chain.network.chain_id}.`,
  );
}
