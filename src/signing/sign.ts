import { ArgumentError, CrecError } from "../errors.ts";
import type { Hex } from "../protocol/index.ts";
import { isRsaSignature } from "./rsa.ts";
import { canonicalSignature, recoverSigner } from "./signature.ts";
import type { Signer, SignRequest } from "./signer.ts";

const RSA_SIGNATURE = /^0x[0-9a-f]{512}$/i;

/**
 * Has a signer sign, and checks what it made: a signature that is not the signer's own would only be refused on
 * chain, much later. An ECDSA signature comes in the one form that wallets take.
 * @throws {CrecError} `SIGNATURE_MISMATCH`; {ArgumentError} `INVALID_SIGNATURE`; whatever the signer throws.
 */
export async function signWith(signer: Signer, request: SignRequest): Promise<Hex> {
  const { kind, address, publicKey } = signer;
  const made = await signer.sign(request);
  if (kind === "rsa") {
    if (!RSA_SIGNATURE.test(made)) {
      const message = "signature must be 256 bytes as hex for an RSA signer.";
      throw new ArgumentError("signature", message, { code: "INVALID_SIGNATURE" });
    }
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
