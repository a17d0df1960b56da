import { createPublicKey } from "node:crypto";
import * as Address from "ox/Address";
import * as Signature from "ox/Signature";
import { bounded } from "../../http/index.ts";
import { loadPart } from "../../load-part.ts";
import type { Address as AddressText, Hex, RsaPublicKey } from "../../protocol/index.ts";
import { isRsaSignature, rsaKeyProblem, rsaPublicKeyOf } from "../rsa.ts";
import { type SignOptions, signCall } from "../signer.ts";
import type { KmsAlgorithm, KmsCalls, KmsPublicKey } from "./aws-kms/index.ts";
import { failureNamed, kmsError, late, notOfKey, unreadable } from "./aws-kms-errors.ts";
import { type AwsKmsOptions, awsKmsOptions, awsKmsSettings, openKmsRequests } from "./aws-kms-settings.ts";
import { notingAsked } from "./custodian-answers.ts";
import { type CustodySigner, recoveredSignature } from "./custody-signer.ts";
import { SignerError } from "./signer-error.ts";

const NO_ANSWER = "no answer";
/** The action that signs, as a request names it. */
const SIGN = "TrentService.Sign";

/** A signer with a key in AWS KMS: with an address, or with the public key of an RSA key. */
export type AwsKmsSigner = CustodySigner &
  ({ kind: "ecdsa"; address: AddressText } | { kind: "rsa"; publicKey: RsaPublicKey });

/**
 * Signs with a key in AWS KMS, which never leaves it. The key has key usage `SIGN_VERIFY`, and key spec
 * `ECC_SECG_P256K1`, or `RSA_2048` for a wallet of type `rsa`. The credentials need the permissions `kms:GetPublicKey`
 * and `kms:Sign` on it. The public key is fetched here, once; each signature is verified with it.
 *
 * A signature takes one request, usually well below a second. It is repeated while AWS is busy or says that it failed.
 * `timeoutMs` is 60 s unless given. The code of AWS's SDK is loaded by the first call.
 *
 * @throws {ArgumentError} `INVALID_ARGUMENT` naming the option.
 * @throws {SignerError} `SIGNER_KEY_UNSUITABLE`, `SIGNER_UNAUTHORIZED`, `SIGNER_UNAVAILABLE`, `SIGNER_TIMEOUT`,
 * `SIGNER_BAD_ANSWER`; so does `sign`, and `SIGNATURE_MISMATCH`.
 * @throws {CrecError} `PACKAGE_DAMAGED` when the SDK cannot be loaded.
 * @example
 * const kms = await awsKmsSigner({ keyId: "alias/payments", region: "eu-central-1", credentials: "host" });
 * kms.custodian; // → "AWS KMS"
 * kms.kind === "ecdsa" && kms.address; // → "0x…"
 * await kms.close();
 */
export async function awsKmsSigner(options: AwsKmsOptions): Promise<AwsKmsSigner> {
  const given = awsKmsOptions(options);
  const { timeoutMs, ...settings } = awsKmsSettings(given, process.env);
  const { openKms } = await loadPart("the SDK of AWS", () => import("./aws-kms/index.ts"));
  const requests = openKmsRequests({ ...given, endpoint: settings.endpoint });
  const failures = new WeakMap<AbortSignal, (reason: string) => void>();
  const inTime = <T>(
    work: (calls: KmsCalls, signal: AbortSignal) => Promise<T>,
    { signal, onState, isSigning = false }: SignOptions & { isSigning?: boolean } = {},
  ) => {
    const reasons: string[] = [];
    // A try that was cut says less than what KMS answered before.
    const last = () => reasons.findLast((reason) => reason !== NO_ANSWER) ?? NO_ANSWER;
    const seen = () => `${last()}, asked ${reasons.length} times`;
    const bounds = {
      timeoutMs,
      onTimeout: () => late(timeoutMs, reasons.length === 0 ? undefined : seen()),
      signals: [signal, requests.closing],
    };
    return bounded(bounds, async (within) => {
      failures.set(within, (reason) => {
        reasons.push(reason);
        onState?.({ state: seen(), isForPerson: false });
      });
      try {
        return await work(calls, within);
      } catch (error) {
        throw kmsError(error, settings, { isSigning });
      }
    });
  };
  const send: typeof requests.send = async (request, signal) => {
    const onFailure = (signal && failures.get(signal)) ?? (() => {});
    try {
      const answer = await requests.send(request, signal);
      if (answer.statusCode >= 400) onFailure(failureNamed(answer));
      return answer;
    } catch (error) {
      onFailure(NO_ANSWER);
      throw request.headers["x-amz-target"] === SIGN ? notingAsked(error) : error;
    }
  };
  const calls = openKms({ ...settings, send });
  try {
    const { keyId } = settings;
    const key = kmsKeyOf(await inTime((kms, within) => kms.publicKey(keyId, within)), keyId);
    const { algorithm, ...shown } = key;
    return {
      custodian: "AWS KMS",
      ...shown,
      timeoutMs,
      async sign(request, signOptions) {
        const waiting = signCall(request, signOptions, "digest");
        const { digest } = request;
        const bytes = Buffer.from(digest.slice(2), "hex");
        const signing = { ...waiting, isSigning: true };
        const made = await inTime((kms, within) => kms.sign({ keyId, algorithm }, bytes, within), signing);
        return signatureOf(key, digest, made, keyId);
      },
      close: requests.close,
    };
  } catch (error) {
    await requests.close();
    throw error;
  }
}

/** @throws {CrecError} `SIGNATURE_MISMATCH`; {SignerError} `SIGNER_BAD_ANSWER` */
function signatureOf(key: KmsKey, digest: Hex, made: Uint8Array | undefined, keyId: string): Hex {
  if (made === undefined) throw unreadable(keyId);
  if (key.kind === "rsa") {
    const signature: Hex = `0x${Buffer.from(made).toString("hex")}`;
    if (!isRsaSignature(key.publicKey, digest, signature)) throw notOfKey(keyId);
    return signature;
  }
  const signature = recoveredSignature(rAndS(made, keyId), digest, key.address);
  if (signature === undefined) throw notOfKey(keyId);
  return signature;
}

function rAndS(der: Uint8Array, keyId: string): { r: Hex; s: Hex } {
  try {
    return Signature.fromDerBytes(der);
  } catch {
    throw unreadable(keyId);
  }
}

/** A key of AWS KMS, as wallets name it. */
type KmsKey =
  | { kind: "ecdsa"; algorithm: KmsAlgorithm; address: AddressText }
  | { kind: "rsa"; algorithm: KmsAlgorithm; publicKey: RsaPublicKey };

/** @throws {SignerError} `SIGNER_KEY_UNSUITABLE`, `SIGNER_BAD_ANSWER` */
function kmsKeyOf({ publicKey, keySpec, keyUsage }: KmsPublicKey, keyId: string): KmsKey {
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
