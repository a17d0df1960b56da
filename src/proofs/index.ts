export { decodeEvent, decodeQuery } from "./decode.ts";
export type * from "./decoded-event.ts";
export { dedupeKey, eventKeyOf } from "./dedupe-key.ts";
export { eventTokens, type TokenUnits } from "./event-tokens.ts";
export {
  EXPECTATION_REASONS,
  type ExpectationOptions,
  type ExpectationReason,
  type Expectations,
  type UnmetExpectation,
  unmetExpectation,
  type Verification,
} from "./expectations.ts";
export { extensionAbi } from "./extension-event.ts";
export { paramsDigest } from "./params-digest.ts";
export { VERIFY_REASONS, type VerifyReason } from "./reasons.ts";
export { recoverReportSigners } from "./recover.ts";
export type { ReferenceData } from "./reference-data.ts";
export * from "./report.ts";
export type { RequestedOperation } from "./requested-operation.ts";
export { answeredQuery, type RequestedQuery } from "./requested-query.ts";
export { type SignedFacts, signedFacts } from "./signed-facts.ts";
export { PROOF_LIMITS } from "./signed-text.ts";
export { isVerifiable } from "./verifiable.ts";
export { createVerifier, verifyEvent, verifyQuery } from "./verify.ts";
export type { SignerSet, Verifier, VerifyConfig, VerifyOptions, VerifyResult } from "./verify-types.ts";
export { workflowOwnerFromOrgId } from "./workflow-owner.ts";
