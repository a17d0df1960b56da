import { createPublicKey, type KeyObject } from "node:crypto";
import type { RsaPublicKey } from "../../protocol/index.ts";
import { rsaKeyProblem, rsaPublicKeyOf } from "../rsa.ts";
import { SignerError } from "./signer-error.ts";
import type { VaultSession } from "./vault-session.ts";

/** Where a key is. */
type VaultKeyPlace = {
  mount: string;
  key: string;
  keyVersion: number;
  signal?: AbortSignal | undefined;
};

/** Why a signer names the version of its key. */
export const WHY_PINNED =
  "Each rotation makes a new key, and the wallet still allows only the old one: so the signer keeps to one version.";

/** The types of keys in Vault that are no RSA keys. */
const OTHER_TYPES =
  /^(?:aes(?:128|256)-(?:gcm96|cmac|cbc)|chacha20-poly1305|ed25519|ecdsa-p(?:256|384|521)|hmac|managed_key)$/;

/**
 * The public key of one version, if it may sign.
 * @throws {SignerError} `SIGNER_KEY_UNSUITABLE` with the reason; what `session.call` throws
 */
export async function readVaultKey(
  session: VaultSession,
  { mount, key, keyVersion, signal }: VaultKeyPlace,
): Promise<RsaPublicKey> {
  const path = `${mount}/keys/${encodeURIComponent(key)}`;
  const data = await session.call({ method: "GET", path, repeats: true, signal });
  const { type, keys, latest_version, min_decryption_version, min_encryption_version } = data;
  const unsuitable = (why: string) =>
    new SignerError("SIGNER_KEY_UNSUITABLE", `The key ${key} in Vault ${why}`);

  const versions = (typeof keys === "object" && keys !== null ? keys : {}) as Record<string, unknown>;
  const version = versions[String(keyVersion)];
  if (version === undefined) {
    throw unsuitable(
      keyVersion > Number(latest_version)
        ? `has no version ${keyVersion}: the latest is ${numberIn(latest_version)}. Correct the version in the signer.`
        : `no longer has version ${keyVersion}: its min_decryption_version is ${numberIn(min_decryption_version)}. ${WHY_PINNED} Lower min_decryption_version to ${keyVersion}, or let the wallet's owner allow a new key first.`,
    );
  }
  const publicKey = publicKeyOf((version as { public_key?: unknown }).public_key);
  const problem = publicKey
    ? rsaKeyProblem(publicKey)
    : `must be an RSA key, and this one is of ${typeIn(type)}`;
  if (publicKey === undefined || problem !== undefined) {
    throw unsuitable(`${problem}. Create a key of type rsa-2048, and allow it in the wallet.`);
  }
  // 0 means the latest version for encryption, and any version for signatures.
  if (Number(min_encryption_version) > keyVersion) {
    throw unsuitable(
      `may not sign with version ${keyVersion}: its min_encryption_version is ${numberIn(min_encryption_version)}. ${WHY_PINNED} Lower min_encryption_version to ${keyVersion}, or let the wallet's owner allow a new key first.`,
    );
  }
  return rsaPublicKeyOf(publicKey);
}

/** Undefined for keys without one, such as `aes256-gcm96`, and for those that are not PEM, such as `ed25519`. */
function publicKeyOf(pem: unknown): KeyObject | undefined {
  try {
    return typeof pem === "string" ? createPublicKey(pem) : undefined;
  } catch {
    return undefined;
  }
}

// What an answer says is quoted only where it cannot hold a part of the token.

function typeIn(type: unknown): string {
  return typeof type === "string" && OTHER_TYPES.test(type) ? `type ${type}` : "another type";
}

function numberIn(version: unknown): string {
  return Number.isSafeInteger(version) ? String(version) : "unknown";
}
