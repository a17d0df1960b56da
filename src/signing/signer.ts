import type { Address, Hex, RsaPublicKey } from "../protocol/index.ts";
import type { OperationTypedData } from "./typed-data.ts";

/** What a signer is asked to sign. `typedData` is for signers that show or check what they sign. */
export type SignRequest = { digest: Hex; typedData: OperationTypedData };

/**
 * Whatever can sign an operation: a key at hand, or a callback to one far away (a key service, a hardware wallet).
 * Every signature is checked against `address` or `publicKey`, where it is known, before anything is sent.
 * @example
 * const signer: Signer = { kind: "ecdsa", address, sign: ({ digest }) => keyService.sign(digest) };
 */
export type Signer = {
  kind: "ecdsa" | "rsa";
  /** Of the key, for ECDSA. */
  address?: Address;
  /** Of the key, for RSA. */
  publicKey?: RsaPublicKey;
  sign(request: SignRequest): Promise<Hex>;
};
