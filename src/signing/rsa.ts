import {
  constants,
  createPublicKey,
  type KeyObject,
  privateEncrypt,
  publicDecrypt,
  timingSafeEqual,
} from "node:crypto";
import { ArgumentError } from "../errors.ts";
import { anyText, like } from "../options/index.ts";
import { type Hex, RSA_KEY_BITS, RSA_PATTERNS, type RsaPublicKey } from "../protocol/index.ts";
import { isDigest, requireDigest } from "./digest.ts";

export const publicKeyKind = like<RsaPublicKey>({ e: anyText(), n: anyText() });

/** The ASN.1 header of a SHA-256 digest in PKCS#1 v1.5. */
const SHA256_PREFIX = Buffer.from("3031300d060960864801650304020105000420", "hex");
const padding = constants.RSA_PKCS1_PADDING;

/**
 * Signs a digest: PKCS#1 v1.5 with the SHA-256 prefix. The digest is taken as already hashed.
 * @internal
 * @throws ArgumentError `INVALID_ARGUMENT` when it is not a digest.
 */
export function rsaSign(key: KeyObject, digest: Hex): Hex {
  requireDigest(digest);
  return hexOf(privateEncrypt({ key, padding }, messageOf(digest)));
}

/**
 * Whether an RSA signature (PKCS#1 v1.5, SHA-256 prefix) of a digest was made by this key. Never throws.
 * @example
 * const digest = `0x${"11".repeat(32)}` as const;
 * isRsaSignature({ e: "0x010001", n: `0x${"ff".repeat(256)}` }, digest, "0x"); // → false
 */
export function isRsaSignature(key: RsaPublicKey, digest: Hex, signature: Hex): boolean {
  if (!isDigest(digest)) return false;
  try {
    const signed = publicDecrypt({ key: publicKeyObject(key), padding }, bytes(signature));
    return timingSafeEqual(signed, messageOf(digest));
  } catch {
    // The signed message may have another length, which cannot be compared.
    return false;
  }
}

/** @throws ArgumentError `INVALID_SIGNATURE` when no wallet takes a signature of this form. */
export function requireRsaSignature(signature: Hex): void {
  if (RSA_PATTERNS.signature.test(signature)) return;
  const message = `signature must be ${RSA_KEY_BITS / 8} bytes as hex for an RSA signer.`;
  throw new ArgumentError("signature", message, { code: "INVALID_SIGNATURE" });
}

/**
 * Why no wallet takes signatures of this key, or undefined.
 * @internal
 */
export function rsaKeyProblem({
  asymmetricKeyType: type,
  asymmetricKeyDetails,
}: KeyObject): string | undefined {
  const bits = asymmetricKeyDetails?.modulusLength;
  if (type === "rsa" && bits === RSA_KEY_BITS) return undefined;
  const found = type === "rsa" ? `has ${bits} bits` : `is of type ${type}`;
  return `must be an RSA key of ${RSA_KEY_BITS} bits, and this one ${found}`;
}

/**
 * Exponent and modulus of a private or public key, as the service and the wallet take them.
 * @internal
 */
export function rsaPublicKeyOf(key: KeyObject): RsaPublicKey {
  const publicKey = key.type === "public" ? key : createPublicKey(key);
  const { e = "", n = "" } = publicKey.export({ format: "jwk" });
  return { e: hexOf(Buffer.from(e, "base64url")), n: hexOf(Buffer.from(n, "base64url")) };
}

function publicKeyObject({ e, n }: RsaPublicKey): KeyObject {
  const jwk = { kty: "RSA", e: bytes(e).toString("base64url"), n: bytes(n).toString("base64url") };
  return createPublicKey({ key: jwk, format: "jwk" });
}

function messageOf(digest: Hex): Buffer {
  return Buffer.concat([SHA256_PREFIX, bytes(digest)]);
}

function bytes(hex: Hex): Buffer {
  const digits = hex.slice(2);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex");
}

function hexOf(bytes: Buffer): Hex {
  return `0x${bytes.toString("hex")}`;
}
