export type { CustodyOptions, CustodySigner } from "./custody-signer.ts";
export { SignerError, type SignerErrorCode } from "./signer-error.ts";
