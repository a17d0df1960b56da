/** Why an event was not verified, in the order of the checks. */
export const VERIFY_REASONS = [
  "not_configured",
  "malformed_event",
  "not_verifiable",
  "no_proof",
  "multiple_proofs",
  "malformed_proof",
  "workflow_owner_mismatch",
  "event_hash_mismatch",
  "threshold_not_met",
  "unsigned_field_mismatch",
] as const;

/** See `VERIFY_REASONS`. */
export type VerifyReason = (typeof VERIFY_REASONS)[number];

/** What each reason means and what to do about it. */
const SENTENCES: Record<VerifyReason, string> = {
  not_configured:
    "Verification is not configured. Set the signer addresses, a threshold that they can reach, and either the organization id with its tenant or the workflow owner.",
  malformed_event:
    "The event does not have the form of its type. Do not act on it, and request it from the service again.",
  not_verifiable:
    "Events of this type and status never carry a proof. Treat it as a notice, and wait for an event with a proof before you act.",
  no_proof:
    "The event has no proof yet. Request it again a little later, and do not act on it before it has one.",
  multiple_proofs: "The event carries more than one proof, and there must be exactly one. Do not act on it.",
  malformed_proof:
    "The proof cannot be read. Do not act on the event, and request it from the service again.",
  workflow_owner_mismatch:
    "The proof was made for another organization. Check the organization id and tenant, or the workflow owner.",
  event_hash_mismatch:
    "The content is not what was signed: it was changed after signing. Do not act on the event, and report it.",
  threshold_not_met:
    "Too few of the configured signers signed this. Check that signer addresses, threshold and tenant all come from the same service, and do not act on the event.",
  unsigned_field_mismatch:
    "An unsigned field contradicts the signed content: it was changed after signing. Do not act on the event, and report it.",
};

/** Thrown by a check. The verifier turns it into a result, so it never leaves this folder. */
export class Rejection extends Error {
  readonly reason: VerifyReason;

  /** `detail` is written by the library. It never contains text of the event beyond a short name. */
  constructor(reason: VerifyReason, detail?: string) {
    super(detail === undefined ? SENTENCES[reason] : `${SENTENCES[reason]} (${detail})`);
    this.reason = reason;
  }
}
