import * as Signature from "ox/Signature";
import type { Address, Hex } from "../../protocol/index.ts";
import { canonicalSignature, recoverSigner } from "../signature.ts";

/**
 * The 65 bytes that wallets take, for r and s of a key service that tells no v, or none that can be relied on; undefined
 * where they are no signature of this digest by this address.
 */
export function recoveredSignature(
  { r, s }: { r: Hex; s: Hex },
  digest: Hex,
  address: Address,
): Hex | undefined {
  for (const yParity of [0, 1]) {
    try {
      const signature = canonicalSignature(Signature.toHex({ r, s, yParity }));
      if (recoverSigner(digest, signature) === address) return signature;
    } catch {
      // Not every r belongs to a point of both parities.
    }
  }
  return undefined;
}
