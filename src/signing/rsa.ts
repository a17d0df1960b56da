import { constants, createPublicKey, type KeyObject, publicDecrypt, timingSafeEqual } from "node:crypto";
import type { Hex, RsaPublicKey } from "../protocol/index.ts";

/** The ASN.1 head of "a SHA-256 digest follows" in PKCS#1 v1.5. */
const SHA256_PREFIX = Buffer.from("3031300d060960864801650304020105000420", "hex");
const DIGEST = /^0x[0-9a-f]{64}$/i;

/** What an RSA key signs for a digest: the digest is taken as already hashed. Undefined for what is no digest. */
export function rsaMessage(digest: Hex): Uint8Array | undefined {
  return DIGEST.test(digest) ? Buffer.concat([SHA256_PREFIX, bytes(digest)]) : undefined;
}

/**
 * Whether an RSA signature (PKCS#1 v1.5, SHA-256 prefix) of a digest was made by this key. Never throws.
 * @example
 * const digest = `0x${"11".repeat(32)}` as const;
 * isRsaSignature({ e: "0x010001", n: `0x${"ff".repeat(256)}` }, digest, "0x"); // → false
 */
export function isRsaSignature(key: RsaPublicKey, digest: Hex, signature: Hex): boolean {
  const message = rsaMessage(digest);
  if (message === undefined) return false;
  try {
    const padding = { key: publicKeyOf(key), padding: constants.RSA_PKCS1_PADDING };
    return timingSafeEqual(publicDecrypt(padding, bytes(signature)), message);
  } catch {
    // What was signed may also be of another length, which cannot be compared.
    return false;
  }
}

function publicKeyOf({ e, n }: RsaPublicKey): KeyObject {
  const jwk = { kty: "RSA", e: bytes(e).toString("base64url"), n: bytes(n).toString("base64url") };
  return createPublicKey({ key: jwk, format: "jwk" });
}

function bytes(hex: Hex): Buffer {
  const digits = hex.slice(2);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex");
}
