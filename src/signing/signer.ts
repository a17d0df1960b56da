import type { Address, Hex } from "../protocol/index.ts";
import type { OperationTypedData } from "./typed-data.ts";

/** Whatever can sign an operation: a key at hand, or one far away. */
export type Signer = {
  kind: "ecdsa" | "rsa";
  /** Of the key, for ECDSA. */
  address?: Address;
  /** The signature of the digest; `typedData` is for signers that show or check what they sign. */
  sign(request: { digest: Hex; typedData: OperationTypedData }): Promise<Hex>;
};
