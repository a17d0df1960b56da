export type { CustodyOptions, CustodySigner } from "./custody-signer.ts";
export { SignerError, type SignerErrorCode } from "./signer-error.ts";
export type { VaultLogin } from "./vault-session.ts";
export { type VaultSignerOptions, vaultSigner } from "./vault-signer.ts";
