import { createPublicKey, type KeyObject } from "node:crypto";
import { ArgumentError } from "../../errors.ts";
import { anything, checkedBy, optional, options, text } from "../../options/index.ts";
import type { Hex, RsaPublicKey } from "../../protocol/index.ts";
import { SIGNING_TIMEOUTS_MS } from "../../protocol/signers.ts";
import { rsaKeyProblem, rsaPublicKeyOf } from "../rsa.ts";
import { signCall } from "../signer.ts";
import { CUSTODY, type CustodyOptions, type CustodySigner } from "./custody-signer.ts";
import { SignerError } from "./signer-error.ts";
import { checkLogin, mountOf, VAULT, type VaultLogin, VaultSession } from "./vault-session.ts";

export type VaultSignerOptions = CustodyOptions & {
  /** The address of HashiCorp Vault or OpenBao, such as `https://vault.example:8200`: without `/v1`. */
  url: string;
  /** @default the root namespace */
  namespace?: string | undefined;
  /** Where the transit secrets engine is mounted. @default "transit" */
  mount?: string | undefined;
  /** The name of the key: of type `rsa-2048`. */
  key: string;
  /** The version of the key that the wallet allows. A rotation adds a version, which is another key. */
  keyVersion: number;
  login: VaultLogin;
};

const vaultOptions = options<VaultSignerOptions>({
  ...CUSTODY,
  url: text,
  namespace: optional(text),
  // These have checks of their own.
  ...{ mount: anything(), key: anything(), keyVersion: anything() },
  login: checkedBy(checkLogin),
});

const SIGNATURE = /^vault:v(\d+):([A-Za-z0-9+/]+={0,2})$/;

/**
 * Signs with an RSA key of 2048 bits in the transit engine of HashiCorp Vault or OpenBao, for wallets of type `rsa`. The
 * login needs the capabilities `read` on `transit/keys/<key>` and `update` on `transit/sign/<key>`. A token from AppRole
 * or Kubernetes is renewed by a new login, before it expires; a token of your own must outlast the flow.
 *
 * @throws {ArgumentError} with the path of the option; {SignerError} `SIGNER_UNAVAILABLE`, `SIGNER_UNAUTHORIZED`,
 * `SIGNER_KEY_UNSUITABLE`, `SIGNER_BAD_ANSWER`, `SIGNER_REFUSED`. Its `sign` throws the same.
 * @example
 * const open = () =>
 *   vaultSigner({
 *     url: "https://vault.example:8200",
 *     key: "payments",
 *     keyVersion: 1,
 *     login: { method: "token", token: process.env.VAULT_TOKEN ?? "" },
 *   });
 */
export async function vaultSigner(options: VaultSignerOptions): Promise<CustodySigner> {
  const given = vaultOptions(options);
  const { mount = "transit", key, keyVersion, timeoutMs = SIGNING_TIMEOUTS_MS.vault } = given;
  const place = { mount: mountOf("mount", mount), key: keyOf(key), keyVersion: versionOf(keyVersion) };
  const session = new VaultSession(given);
  try {
    const publicKey = await readVaultKey(session, place);
    return {
      kind: "rsa",
      custodian: VAULT,
      publicKey,
      timeoutMs,
      async sign(request, signOptions) {
        const waiting = signCall(request, signOptions, "digest");
        const { digest } = request;
        const path = `${place.mount}/sign/${encodeURIComponent(place.key)}`;
        const call = {
          method: "POST",
          path,
          body: requestOf(digest, keyVersion),
          repeats: false,
          ...{ ...waiting, withinMs: timeoutMs },
        } as const;
        try {
          return signatureIn(await session.call(call), keyVersion);
        } catch (error) {
          // Vault answers with 400 or 500 where the version may not sign. The key says why.
          if (isAboutKey(error)) await readVaultKey(session, { ...place, signal: waiting.signal });
          throw error;
        }
      },
      close: () => session.close(),
    };
  } catch (error) {
    await session.close();
    throw error;
  }
}

function keyOf(key: string): string {
  const name = typeof key === "string" ? key.trim() : "";
  if (name !== "" && name !== "." && name !== ".." && !name.includes("/")) return name;
  throw new ArgumentError("key", "key must be the name of the key in the transit engine, without its path.");
}

function versionOf(version: number): number {
  if (Number.isSafeInteger(version) && version > 0) return version;
  throw new ArgumentError(
    "keyVersion",
    `keyVersion must be the version of the key that the wallet allows: 1 for a key that was never rotated. ${WHY_PINNED}`,
  );
}

function requestOf(digest: Hex, keyVersion: number): string {
  return JSON.stringify({
    input: Buffer.from(digest.slice(2), "hex").toString("base64"),
    prehashed: true,
    hash_algorithm: "sha2-256",
    signature_algorithm: "pkcs1v15",
    key_version: keyVersion,
  });
}

/** @throws {SignerError} `SIGNER_BAD_ANSWER` */
function signatureIn(data: Readonly<Record<string, unknown>>, keyVersion: number): Hex {
  const [, version, base64 = ""] = SIGNATURE.exec(String(data.signature)) ?? [];
  if (version === undefined) {
    const message = `${VAULT} answered without a signature of the documented form, vault:v${keyVersion}:… Check that its address leads to Vault or OpenBao, and to its transit engine.`;
    throw new SignerError("SIGNER_BAD_ANSWER", message);
  }
  if (Number(version) !== keyVersion) {
    const message = `${VAULT} signed with version ${version} of the key instead of version ${keyVersion}. ${WHY_PINNED} Check for a proxy that changes requests.`;
    throw new SignerError("SIGNER_BAD_ANSWER", message);
  }
  return `0x${Buffer.from(base64, "base64").toString("hex")}`;
}

function isAboutKey(error: unknown): boolean {
  if (!(error instanceof SignerError)) return false;
  return error.state === "400" || error.state === "500";
}

/** Where a key is. */
type VaultKeyPlace = {
  mount: string;
  key: string;
  keyVersion: number;
  signal?: AbortSignal | undefined;
};

/** Why a signer names the version of its key. */
const WHY_PINNED =
  "Each rotation makes a new key, and the wallet still allows only the old one: so the signer keeps to one version.";

/** The types of keys in Vault that are no RSA keys. */
const OTHER_TYPES =
  /^(?:aes(?:128|256)-(?:gcm96|cmac|cbc)|chacha20-poly1305|ed25519|ecdsa-p(?:256|384|521)|hmac|managed_key)$/;

/**
 * The public key of one version, if it may sign.
 * @throws {SignerError} `SIGNER_KEY_UNSUITABLE` with the reason; what `session.call` throws
 */
async function readVaultKey(
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
