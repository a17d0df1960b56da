import { createPrivateKey, generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import { ArgumentError } from "../errors.ts";
import { RSA_KEY_BITS, type RsaPublicKey } from "../protocol/index.ts";
import { readPemPrivateKey, rsaKeyProblem, rsaPublicKeyOf, rsaSign } from "./rsa.ts";
import type { LocalSigner } from "./signer.ts";
import { signCall } from "./signer.ts";

/** A signer with an RSA key in this process. */
export type LocalRsaSigner = LocalSigner & { kind: "rsa"; publicKey: RsaPublicKey };

/** A private key as a JSON Web Key. */
export type RsaPrivateJwk = { kty: "RSA"; n: string; e: string; d: string } & Readonly<
  Record<string, unknown>
>;

/**
 * Signs with an RSA key of 2048 bits held in this process: PKCS#1 v1.5 with the SHA-256 prefix, 256 bytes, always the
 * same for the same digest. A wallet of type `rsa` names its `publicKey` in `allowed_rsa_signers`.
 *
 * @param privateKey PEM (PKCS#8 or PKCS#1) without a passphrase, also on one line; or a JSON Web Key.
 * @throws ArgumentError `INVALID_PRIVATE_KEY`. No error message contains the key.
 * @example
 * const signer = localRsaSigner(await generateRsaPrivateKey());
 * signer.publicKey.e; // → "0x010001"
 */
export function localRsaSigner(privateKey: string | RsaPrivateJwk): LocalRsaSigner {
  const key = readPrivateKey(privateKey);
  return {
    kind: "rsa",
    publicKey: rsaPublicKeyOf(key),
    sign: async (request) => {
      signCall(request, undefined, "digest");
      return rsaSign(key, request.digest);
    },
  };
}

/**
 * A new RSA key of 2048 bits from the system's random source, as PEM (PKCS#8). Keep it secret. It takes up to a second,
 * outside the main thread.
 * @example
 * const privateKey = await generateRsaPrivateKey();
 */
export async function generateRsaPrivateKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)("rsa", {
    modulusLength: RSA_KEY_BITS,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return privateKey;
}

function readPrivateKey(privateKey: string | RsaPrivateJwk): KeyObject {
  const key =
    typeof privateKey === "string" ? readPemPrivateKey(privateKey, "privateKey") : readJwk(privateKey);
  const problem = rsaKeyProblem(key);
  if (problem !== undefined) throw invalidKey(`privateKey ${problem}.`);
  return key;
}

function readJwk(key: RsaPrivateJwk): KeyObject {
  try {
    return createPrivateKey({ key: { ...key }, format: "jwk" });
  } catch {
    // No cause: it might contain the key.
    throw invalidKey("privateKey must be an RSA key as PEM without a passphrase, or as a JSON Web Key.");
  }
}

function invalidKey(message: string): ArgumentError {
  return new ArgumentError("privateKey", message, { code: "INVALID_PRIVATE_KEY" });
}
