export type { AskedOperation } from "./asked-operation.ts";
export type { AskedQuery } from "./asked-query.ts";
export * from "./decode.ts";
export { dedupeKey } from "./dedupe-key.ts";
export { VERIFY_REASONS, type VerifyReason } from "./reasons.ts";
export { recoverReportSigners } from "./recover.ts";
export * from "./report.ts";
export { type SignedFacts, signedFacts } from "./signed-facts.ts";
export { PROOF_LIMITS } from "./signed-text.ts";
export { isVerifiable } from "./verifiable.ts";
export {
  createVerifier,
  type SignerSet,
  type Verifier,
  type VerifyConfig,
  type VerifyOptions,
  type VerifyResult,
  verifyEvent,
  verifyQuery,
} from "./verify.ts";
export { workflowOwnerFromOrgId } from "./workflow-owner.ts";
