export { decodeEvent, decodeQuery } from "./decode.ts";
export type * from "./decoded-event.ts";
export { eventTokens, type TokenUnits } from "./decoded-event.ts";
export { dedupeKey, eventKeyOf, paramsDigest } from "./dedupe-key.ts";
export {
  EXPECTATION_REASONS,
  type ExpectationOptions,
  type ExpectationReason,
  type Expectations,
  type UnmetExpectation,
  unmetExpectation,
  type Verification,
} from "./expectations.ts";
export type { ReferenceData } from "./extension-event.ts";
export { extensionAbi } from "./extension-event.ts";
export { isVerifiable, recoverReportSigners } from "./proof.ts";
export { VERIFY_REASONS, type VerifyReason } from "./reasons.ts";
export * from "./report.ts";
export { workflowOwnerFromOrgId } from "./report.ts";
export type { RequestedOperation } from "./requested-operation.ts";
export { answeredQuery, type RequestedQuery } from "./requested-operation.ts";
export { type SignedFacts, signedFacts } from "./signed-event.ts";
export { PROOF_LIMITS } from "./signed-text.ts";
export { createVerifier, verifyEvent, verifyQuery } from "./verify.ts";
export type { SignerSet, Verifier, VerifyConfig, VerifyOptions, VerifyResult } from "./verify-types.ts";
