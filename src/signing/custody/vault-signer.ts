import { ArgumentError } from "../../errors.ts";
import { anything, checkedBy, optional, options, text } from "../../options/index.ts";
import type { Hex } from "../../protocol/index.ts";
import { SIGNING_TIMEOUTS_MS } from "../../protocol/signing-timeouts.ts";
import { signCall } from "../sign-call.ts";
import { CUSTODY, type CustodyOptions, type CustodySigner } from "./custody-signer.ts";
import { SignerError } from "./signer-error.ts";
import { readVaultKey, WHY_PINNED } from "./vault-key.ts";
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
