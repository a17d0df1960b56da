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
  type OperationTypedData,
  operationDigest,
  operationPreimage,
  operationTypedData,
  randomWalletOperationId,
  type TransactionInput,
  walletOperationIdOf,
} from "./operation.ts";
export { isRsaSignature } from "./rsa.ts";
export { signRequestOf, signWith } from "./sign.ts";
export { canonicalSignature, recoverSigner } from "./signature.ts";
export {
  type LocalSigner,
  type Signer,
  type SigningState,
  type SignOptions,
  type SignRequest,
  signerKind,
} from "./signer.ts";
