import { CrecError } from "../errors.ts";
import type { Hex } from "../protocol/index.ts";
import { isRsaSignature, requireRsaSignature } from "./rsa.ts";
import { canonicalSignature, recoverSigner } from "./signature.ts";
import type { Signer, SignRequest } from "./signer.ts";

/**
 * Signs with a signer, and verifies the signature: otherwise a wrong one would only be refused on chain, much later. An
 * ECDSA signature is returned in the one form that wallets take.
 * @throws {CrecError} `SIGNATURE_MISMATCH`; {ArgumentError} `INVALID_SIGNATURE`; any error of the signer.
 */
export async function signWith(signer: Signer, request: SignRequest): Promise<Hex> {
  const { kind, address, publicKey } = signer;
  const made = await signer.sign(request);
  if (kind === "rsa") {
    requireRsaSignature(made);
    if (publicKey && !isRsaSignature(publicKey, request.digest, made)) throw mismatch("the signer's RSA key");
    return made;
  }
  const signature = canonicalSignature(made);
  if (address && recoverSigner(request.digest, signature).toLowerCase() !== address.toLowerCase()) {
    throw mismatch(address);
  }
  return signature;
}

function mismatch(expected: string): CrecError {
  const message = `The signature was not made by ${expected}. Check which key the signer uses. Nothing was sent.`;
  return new CrecError("SIGNATURE_MISMATCH", message);
}
