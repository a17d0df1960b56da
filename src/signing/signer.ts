import type { Address, Hex, RsaPublicKey } from "../protocol/index.ts";
import type { OperationTypedData } from "./typed-data.ts";

/** What a signer signs. */
export type SignRequest = {
  /** The 32 bytes to sign. */
  digest: Hex;
  /** What the digest is made from, for signers that show or check what they sign. */
  typedData: OperationTypedData;
};

/**
 * Signs operations: with a key in this process, or by a callback to a key service or hardware wallet. Each signature is
 * verified against `address` or `publicKey`, where it is given, before anything is sent.
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
  /** Returns the signature of the digest as hex. */
  sign(request: SignRequest): Promise<Hex>;
};
