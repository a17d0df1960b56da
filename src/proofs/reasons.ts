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

export type VerifyReason = (typeof VERIFY_REASONS)[number];

/** What each reason means and what to do about it. */
const SENTENCES: Record<VerifyReason, string> = {
  not_configured:
    "Verification is not set up: give the signer addresses, a threshold they can reach, and the organization id with its tenant, or the workflow owner.",
  malformed_event:
    "The event is not of the shape its type promises; do not act on it, and ask the service for it again.",
  not_verifiable:
    "Events of this type and status never carry a proof; treat it as a notice only, and wait for one that does.",
  no_proof:
    "The event has no proof yet; ask for it again a little later, and do not act on it while it has none.",
  multiple_proofs: "The event carries more than one proof, and there must be exactly one; do not act on it.",
  malformed_proof:
    "The proof cannot be read, so it proves nothing; do not act on the event, and ask the service for it again.",
  workflow_owner_mismatch:
    "The proof was made for another organization; check the organization id and tenant, or the workflow owner, of the connection.",
  event_hash_mismatch:
    "The content is not what was signed: it was changed on the way; do not act on the event, and report it.",
  threshold_not_met:
    "Too few of the configured signers signed this; check that signer addresses, threshold and tenant all come from the same service, and do not act on the event.",
  unsigned_field_mismatch:
    "A field beside the signed content contradicts it: it was changed on the way; do not act on the event, and report it.",
};

/** Thrown by a check, and turned into a result by the verifier: it never leaves this folder. */
export class Rejection extends Error {
  readonly reason: VerifyReason;

  /** `detail` is our own wording, never text from the event. */
  constructor(reason: VerifyReason, detail?: string) {
    super(detail === undefined ? SENTENCES[reason] : `${SENTENCES[reason]} (${detail})`);
    this.reason = reason;
  }
}
