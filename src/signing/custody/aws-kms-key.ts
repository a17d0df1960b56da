import { createPublicKey } from "node:crypto";
import * as Address from "ox/Address";
import type { Address as AddressText, RsaPublicKey } from "../../protocol/index.ts";
import { rsaKeyProblem, rsaPublicKeyOf } from "../rsa.ts";
import type { KmsAlgorithm, KmsPublicKey } from "./aws-kms/index.ts";
import { SignerError } from "./signer-error.ts";

/** A key of AWS KMS, as wallets name it. */
export type KmsKey =
  | { kind: "ecdsa"; algorithm: KmsAlgorithm; address: AddressText }
  | { kind: "rsa"; algorithm: KmsAlgorithm; publicKey: RsaPublicKey };

/** @throws {SignerError} `SIGNER_KEY_UNSUITABLE`, `SIGNER_BAD_ANSWER` */
export function kmsKeyOf({ publicKey, keySpec, keyUsage }: KmsPublicKey, keyId: string): KmsKey {
  if (keyUsage !== "SIGN_VERIFY") throw unsuitable(keyId, `has the key usage ${shown(keyUsage)}`);
  if (keySpec !== "ECC_SECG_P256K1" && keySpec !== "RSA_2048") {
    throw unsuitable(keyId, `has the key spec ${shown(keySpec)}`);
  }
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey ?? []), format: "der", type: "spki" });
    if (keySpec === "RSA_2048") {
      if (rsaKeyProblem(key) !== undefined) throw badKey(keyId);
      return { kind: "rsa", algorithm: "RSASSA_PKCS1_V1_5_SHA_256", publicKey: rsaPublicKeyOf(key) };
    }
    const { crv, x = "", y = "" } = key.export({ format: "jwk" });
    if (crv !== "secp256k1") throw badKey(keyId);
    const point = { prefix: 4, x: coordinate(x), y: coordinate(y) } as const;
    return {
      kind: "ecdsa",
      algorithm: "ECDSA_SHA_256",
      address: Address.checksum(Address.fromPublicKey(point)),
    };
  } catch {
    throw badKey(keyId);
  }
}

function coordinate(text: string): `0x${string}` {
  return `0x${Buffer.from(text, "base64url").toString("hex")}`;
}

/** A word of the key service, which may be anything. */
function shown(word: unknown): string {
  return typeof word === "string" && /^\w{1,40}$/.test(word) ? word : "unknown";
}

function unsuitable(keyId: string, why: string): SignerError {
  const message = `The key in AWS KMS ${why}, and no wallet takes its signatures. Create a key with key usage SIGN_VERIFY and key spec ECC_SECG_P256K1, or RSA_2048 for a wallet of type rsa: neither can be changed later (${keyId}).`;
  return new SignerError("SIGNER_KEY_UNSUITABLE", message);
}

function badKey(keyId: string): SignerError {
  const message = `AWS KMS answered without a public key of the key spec that it names. Check the endpoint in the signer (${keyId}).`;
  return new SignerError("SIGNER_BAD_ANSWER", message);
}
