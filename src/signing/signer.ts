import {
  anyText,
  callable,
  checkedBy,
  jsonObject,
  type Kind,
  like,
  oneOf,
  optional,
  options,
  signal,
  someTime,
} from "../options/index.ts";
import type { Address, Hex, RsaPublicKey } from "../protocol/index.ts";
import type { OperationTypedData } from "./operation.ts";
import { publicKeyKind } from "./rsa.ts";
import { requireDigest } from "./signature.ts";

/** What a signer signs, in three forms of the same: a signer uses the one that its key service takes. */
export type SignRequest = {
  /** The 32 bytes to sign: keccak-256 of `preimage`. */
  digest: Hex;
  /** The 66 bytes of EIP-712 that are hashed: `0x1901`, the domain's hash and the message's hash. */
  preimage: Hex;
  /** The operation as a person can read it, for signers that show or check what they sign. */
  typedData: OperationTypedData;
};

/** What a signature that takes time waits for. */
export type SigningState = {
  /** The key service's own word, such as `PENDING_AUTHORIZATION`. */
  state: string;
  /** Whether a person has to act, for example to approve. */
  isForPerson: boolean;
};

export type SignOptions = {
  /** Ends the wait. What a person approves afterwards is not used. */
  signal?: AbortSignal | undefined;
  /** Called at each new state of a signature that takes time. */
  onState?: ((state: SigningState) => void) | undefined;
};

/**
 * Signs operations: with a key in this process, by a key service, or by a callback to a hardware wallet. Each signature
 * is verified against `address` or `publicKey`, where it is given, before anything is sent.
 * @example
 * const signer: Signer = { kind: "ecdsa", address, sign: ({ digest }) => keyService.sign(digest) };
 */
export type Signer = {
  /** The algorithm of the key. */
  kind: "ecdsa" | "rsa";
  /** The address of an ECDSA key. */
  address?: Address;
  /** The public key of an RSA key. */
  publicKey?: RsaPublicKey;
  /** How long a signature may take, in milliseconds, at most until the operation's deadline. @default no limit */
  timeoutMs?: number;
  /** Returns the signature of the digest as hex. To ask twice for the same digest must have no other effect. */
  sign(request: SignRequest, options?: SignOptions): Promise<Hex>;
};

/** What a signer must be. It is used as it is. */
export const signerKind = like<Signer>({
  kind: oneOf("ecdsa", "rsa"),
  address: optional(anyText()),
  publicKey: optional(publicKeyKind),
  timeoutMs: optional(someTime),
  sign: callable(),
});

/** A signer with a key in this process, which needs nothing but the digest. */
export type LocalSigner = Omit<Signer, "sign"> & {
  sign(request: Pick<SignRequest, "digest"> & Partial<SignRequest>): Promise<Hex>;
};

const digest = checkedBy((value: Hex) => requireDigest(value));
const digestRequest = like<Pick<SignRequest, "digest"> & Partial<SignRequest>>({
  digest,
  preimage: optional(anyText()),
});
const wholeRequest = like<SignRequest>({
  digest,
  preimage: anyText(),
  typedData: jsonObject as Kind<never>,
});

const signOptions = options<SignOptions>({ signal: optional(signal), onState: optional(callable()) });

/**
 * The options of the `sign` of a signer, checked, with the part of the request that it uses.
 * @throws {ArgumentError}
 */
export function signCall(
  request: unknown,
  given: SignOptions | undefined,
  uses: "digest" | "all",
): SignOptions {
  if (uses === "digest") digestRequest(request, "request");
  else wholeRequest(request, "request");
  return signOptions(given);
}
