import { constants, createPrivateKey, createPublicKey, type KeyObject, privateEncrypt } from "node:crypto";
import { ArgumentError } from "../errors.ts";
import type { Hex, RsaPublicKey } from "../protocol/index.ts";
import { rsaMessage } from "./rsa.ts";
import type { Signer } from "./signer.ts";

export type LocalRsaSigner = Signer & { kind: "rsa"; publicKey: RsaPublicKey };

/** A private key as a JSON Web Key holds it. */
export type RsaPrivateJwk = { kty: "RSA"; n: string; e: string; d: string } & Readonly<
  Record<string, unknown>
>;

/** Wallets take signatures of 256 bytes, which only these keys make. */
const KEY_BITS = 2048;

/**
 * Signs with an RSA key held in this process: PKCS#1 v1.5 with the SHA-256 prefix over the digest, 256 bytes, the
 * same for the same digest. `publicKey` is what a wallet of type `rsa` names in `allowed_rsa_signers`.
 *
 * @param privateKey PEM (PKCS#8 or PKCS#1) without a passphrase, or a JSON Web Key.
 * @throws ArgumentError `INVALID_PRIVATE_KEY`. No message ever holds the key.
 * @example
 * const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
 * const signer = localRsaSigner(privateKey.export({ type: "pkcs8", format: "pem" }).toString());
 * signer.publicKey.e; // → "0x010001"
 */
export function localRsaSigner(privateKey: string | RsaPrivateJwk): LocalRsaSigner {
  const key = readPrivateKey(privateKey);
  return {
    kind: "rsa",
    publicKey: publicKeyOf(key),
    async sign({ digest }) {
      const message = rsaMessage(digest);
      if (message === undefined) throw new ArgumentError("digest", "digest must be 32 bytes as hex.");
      const signature = privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, message);
      return `0x${signature.toString("hex")}` as Hex;
    },
  };
}

/** Exponent and modulus as the service and the wallet take them. */
function publicKeyOf(key: KeyObject): RsaPublicKey {
  const { e = "", n = "" } = createPublicKey(key).export({ format: "jwk" });
  return { e: hexOf(e), n: hexOf(n) };
}

function hexOf(base64url: string): Hex {
  return `0x${Buffer.from(base64url, "base64url").toString("hex")}`;
}

function readPrivateKey(privateKey: string | RsaPrivateJwk): KeyObject {
  let key: KeyObject;
  try {
    key =
      typeof privateKey === "string"
        ? createPrivateKey(privateKey)
        : createPrivateKey({ key: { ...privateKey }, format: "jwk" });
  } catch {
    // No cause: it might quote the key.
    throw invalidKey("privateKey must be an RSA key as PEM without a passphrase, or as a JSON Web Key.");
  }
  const bits = key.asymmetricKeyDetails?.modulusLength;
  if (key.asymmetricKeyType === "rsa" && bits === KEY_BITS) return key;
  const found = key.asymmetricKeyType === "rsa" ? `one of ${bits} bits` : `of type ${key.asymmetricKeyType}`;
  throw invalidKey(`privateKey must be an RSA key of ${KEY_BITS} bits, and this one is ${found}.`);
}

function invalidKey(message: string): ArgumentError {
  return new ArgumentError("privateKey", message, { code: "INVALID_PRIVATE_KEY" });
}
