import type { RsaPublicKey } from "../../src/index.ts";

/** Whether two public keys are the same. Exponents are written with and without leading zeros. */
export function isSameRsaKey(one: RsaPublicKey, other: RsaPublicKey): boolean {
  return digitsOf(one) === digitsOf(other);
}

/** One of them may come from a form or the service, so its parts may be missing. */
function digitsOf({ e, n }: RsaPublicKey): string {
  return [e, n].map((hex) => String(hex).toLowerCase().replace(/^0x0*/, "")).join(" ");
}
