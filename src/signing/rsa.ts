import {
  constants,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  privateEncrypt,
  publicDecrypt,
  timingSafeEqual,
} from "node:crypto";
import { ArgumentError } from "../errors.ts";
import { anyText, like } from "../options/index.ts";
import { type Hex, RSA_KEY_BITS, RSA_PATTERNS, type RsaPublicKey } from "../protocol/index.ts";
import { isDigest, requireDigest } from "./signature.ts";

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

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----/g;
/** Above the longest key with the certificates before it. To search a text for its blocks takes time by its square. */
const LONGEST = 32 * 1024;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const FORMATS: Readonly<Record<string, "pkcs8" | "pkcs1" | "sec1">> = {
  "PRIVATE KEY": "pkcs8",
  "RSA PRIVATE KEY": "pkcs1",
  "EC PRIVATE KEY": "sec1",
};

/**
 * The private key of a PEM text: PKCS#8, PKCS#1 or SEC1, without a passphrase. A text field of one line loses line
 * breaks, and environment variables often have `\n` in their place: both are accepted.
 *
 * @param path Names the value in errors.
 * @throws {ArgumentError} `INVALID_PRIVATE_KEY`. No error message contains the key.
 * @internal
 */
export function readPemPrivateKey(pem: string, path: string): KeyObject {
  if (typeof pem !== "string" || pem.length > LONGEST) throw unreadable(path);
  const text = pem.replaceAll("\\r", "\n").replaceAll("\\n", "\n");
  const blocks = [...text.matchAll(BLOCK)].map(([, label = "", body = ""]) => ({ label, body }));
  const block = blocks.find(({ label }) => label.endsWith("PRIVATE KEY"));
  if (block === undefined) throw withoutKey(path, text, blocks[0]?.label);
  const { label, body } = block;
  if (`${label} ${body}`.includes("ENCRYPTED")) throw encrypted(path);
  const type = FORMATS[label];
  const base64 = body.replace(/\s+/g, "");
  if (type === undefined || !BASE64.test(base64)) throw unreadable(path);
  try {
    return createPrivateKey({ key: Buffer.from(base64, "base64"), format: "der", type });
  } catch {
    // No cause: it might contain the key.
    throw unreadable(path);
  }
}

function withoutKey(path: string, text: string, label: string | undefined): ArgumentError {
  if (label !== undefined) {
    return invalid(
      path,
      `must be a private key, and this is a ${label.toLowerCase()}. Paste the file with the private key.`,
    );
  }
  if (text.includes("-----BEGIN")) {
    return invalid(path, "is cut off. Paste it whole, from -----BEGIN to the end of the -----END line.");
  }
  return unreadable(path);
}

function encrypted(path: string): ArgumentError {
  return invalid(path, "has a passphrase. Remove it, for example with openssl pkey, and paste the result.");
}

function unreadable(path: string): ArgumentError {
  return invalid(path, "must be a private key as PEM, with its -----BEGIN and -----END lines.");
}

function invalid(path: string, problem: string): ArgumentError {
  return new ArgumentError(path, `${path} ${problem}`, { code: "INVALID_PRIVATE_KEY" });
}
