export type { AwsCredentials, AwsKmsOptions } from "./aws-kms-settings.ts";
export { type AwsKmsSigner, awsKmsSigner } from "./aws-kms-signer.ts";
export type { CustodyOptions, CustodySigner } from "./custody-signer.ts";
export type { RemoteSigningMethod } from "./remote-json-rpc.ts";
export { type RemoteSignerOptions, remoteSigner } from "./remote-signer.ts";
export { SignerError, type SignerErrorCode } from "./signer-error.ts";
export type { VaultLogin } from "./vault-session.ts";
export { type VaultSignerOptions, vaultSigner } from "./vault-signer.ts";
