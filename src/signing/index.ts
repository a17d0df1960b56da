export {
  generatePrivateKey,
  type LocalEcdsaSigner,
  localEcdsaSigner,
} from "./local-ecdsa-signer.ts";
export {
  type NormalizedOperation,
  normalizeOperation,
  type OperationInput,
  type TransactionInput,
} from "./operation.ts";
export { canonicalSignature, recoverSigner } from "./signature.ts";
export type { Signer } from "./signer.ts";
export {
  OPERATION_TYPES,
  type OperationTypedData,
  operationDigest,
  operationTypedData,
} from "./typed-data.ts";
export { randomWalletOperationId } from "./wallet-operation-id.ts";
