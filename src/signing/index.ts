export {
  generatePrivateKey,
  type LocalEcdsaSigner,
  localEcdsaSigner,
} from "./local-ecdsa-signer.ts";
export {
  generateRsaPrivateKey,
  type LocalRsaSigner,
  localRsaSigner,
  type RsaPrivateJwk,
} from "./local-rsa-signer.ts";
export {
  type NormalizedOperation,
  normalizeOperation,
  type OperationInput,
  type TransactionInput,
} from "./operation.ts";
export { isRsaSignature } from "./rsa.ts";
export { signWith } from "./sign.ts";
export { signRequestOf } from "./sign-request.ts";
export { canonicalSignature, recoverSigner } from "./signature.ts";
export {
  type LocalSigner,
  type Signer,
  type SigningState,
  type SignOptions,
  type SignRequest,
  signerKind,
} from "./signer.ts";
export {
  type OperationTypedData,
  operationDigest,
  operationPreimage,
  operationTypedData,
} from "./typed-data.ts";
export { randomWalletOperationId, walletOperationIdOf } from "./wallet-operation-id.ts";
