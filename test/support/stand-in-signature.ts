import * as Secp256k1 from "ox/Secp256k1";
import type { Hex } from "../../src/protocol/index.ts";

/** In which form a key service returns a signature; they differ. */
export type SignatureForm = {
  /** Adds 27 to v. */
  isEthereumV?: boolean;
  isHighS?: boolean;
  /** Signs with another key. */
  isWrongKey?: boolean;
};

/** 64 hex digits each. */
export type MadeSignature = { r: string; s: string; v: number };

const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

export function standInSignature(
  digest: Hex,
  privateKey: Hex,
  { isEthereumV = false, isHighS = false, isWrongKey = false }: SignatureForm,
): MadeSignature {
  const key = isWrongKey ? Secp256k1.randomPrivateKey() : privateKey;
  const { r, s, yParity } = Secp256k1.sign({ payload: digest, privateKey: key });
  const parity = isHighS ? 1 - yParity : yParity;
  return {
    r: digits(BigInt(r)),
    s: digits(isHighS ? CURVE_ORDER - BigInt(s) : BigInt(s)),
    v: isEthereumV ? parity + 27 : parity,
  };
}

function digits(value: bigint): string {
  return value.toString(16).padStart(64, "0");
}
