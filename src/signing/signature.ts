import * as Address from "ox/Address";
import * as Hex from "ox/Hex";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import { ArgumentError } from "../errors.ts";
import type { Address as AddressText, Hex as HexText } from "../protocol/index.ts";

const DIGEST = /^0x[0-9a-f]{64}$/i;

export function isDigest(digest: HexText): boolean {
  return typeof digest === "string" && DIGEST.test(digest);
}

/** @throws ArgumentError `INVALID_ARGUMENT` */
export function requireDigest(digest: HexText): void {
  if (!isDigest(digest)) throw new ArgumentError("digest", "digest must be 32 bytes as hex.");
}

const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/**
 * The address whose key made a 65-byte signature of a digest, checksummed.
 *
 * @throws ArgumentError `INVALID_SIGNATURE`; `INVALID_ARGUMENT` when it is not a digest.
 * @example
 * const digest = `0x${"11".repeat(32)}` as const;
 * const signature = await signer.sign({ digest, typedData });
 * recoverSigner(digest, signature) === signer.address; // → true
 */
export function recoverSigner(digest: HexText, signature: HexText): AddressText {
  requireDigest(digest);
  return checked(() =>
    Address.checksum(Secp256k1.recoverAddress({ payload: digest, signature: parse(signature) })),
  );
}

/**
 * The same signature in the one form that wallets take: low s, and v 27 or 28. Hardware and remote keys may return v as
 * 0 or 1, or a high s, which a wallet refuses, but only on chain.
 *
 * @throws ArgumentError `INVALID_SIGNATURE`.
 * @example
 * const digest = `0x${"11".repeat(32)}` as const;
 * const signature = canonicalSignature(await keyService.sign(digest));
 */
export function canonicalSignature(signature: HexText): HexText {
  return checked(() => {
    const { r, s, yParity } = parse(signature);
    const value = BigInt(s);
    return value <= CURVE_ORDER / 2n
      ? Signature.toHex({ r, s, yParity })
      : Signature.toHex({
          r,
          s: Hex.fromNumber(CURVE_ORDER - value, { size: 32 }),
          yParity: yParity === 0 ? 1 : 0,
        });
  });
}

function parse(signature: HexText): Signature.Signature {
  const { r, s, yParity } = Signature.fromHex(signature);
  if (yParity === undefined) throw new Error("The recovery byte is missing.");
  return { r, s, yParity };
}

function checked<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const message = "signature must be 65 bytes (r, s and v) as hex, and belong to a key.";
    throw new ArgumentError("signature", message, { code: "INVALID_SIGNATURE", cause });
  }
}
