import type { Address } from "../protocol/index.ts";
import type { Claim, ProofItem } from "./claim.ts";
import type { Engine } from "./engine.ts";
import { bytesToHex, isSameText } from "./hex.ts";
import { type Proof, readProof, recoverSigners } from "./proof.ts";
import { Rejection } from "./reasons.ts";
import { EVENT_HASH_BYTES, REPORT_LAYOUT } from "./report.ts";
import type { CallSettings } from "./settings.ts";
import { isVerifiable } from "./verifiable.ts";

/**
 * The checks, in their documented order. Gives those of the set who signed.
 * @throws {Rejection} with the reason of the first check that fails.
 */
export function judge(claim: Claim, settings: CallSettings, engine: Engine): Address[] {
  requireVerifiable(claim);
  const proof = readProof(requireOneProof(claim.proofs));
  const recovered = recoverSigners(proof, engine);
  requireWorkflowOwner(proof, settings);
  requireEventHash(proof, claim, engine);
  const signers = requireThreshold(recovered, proof, settings);
  requireAgreement(claim, settings);
  return signers;
}

function requireVerifiable({ type, status }: Claim): void {
  if (!isVerifiable(type, status)) throw new Rejection("not_verifiable");
}

function requireOneProof(proofs: ProofItem[]): ProofItem {
  const [proof, ...others] = proofs;
  if (proof === undefined) throw new Rejection("no_proof");
  if (others.length > 0) throw new Rejection("multiple_proofs");
  return proof;
}

function requireWorkflowOwner({ report }: Proof, { workflowOwner }: CallSettings): void {
  const owner = bytesToHex(report.subarray(...REPORT_LAYOUT.workflowOwner));
  if (owner !== workflowOwner) throw new Rejection("workflow_owner_mismatch");
}

/** The hash is that of the base64 text as it was sent, not of what it decodes to. */
function requireEventHash({ report }: Proof, { signedText, eventHash }: Claim, engine: Engine): void {
  if (signedText === undefined) throw new Rejection("malformed_event", "what was signed is missing");
  const signed = bytesToHex(report.subarray(-EVENT_HASH_BYTES));
  const actual = bytesToHex(engine.keccak256(Buffer.from(signedText)));
  if (actual !== signed) throw new Rejection("event_hash_mismatch");
  if (eventHash !== undefined && !isSameText(eventHash, signed)) {
    throw new Rejection("event_hash_mismatch", "the event_hash field");
  }
}

function requireThreshold(
  recovered: Set<string>,
  { signatures }: Proof,
  { signers, threshold, of }: CallSettings,
): Address[] {
  const members = [...recovered].flatMap((address) => signers.get(address) ?? []);
  if (signatures.length < threshold) {
    const counts = `it carries ${signatures.length}, and the threshold${of} is ${threshold}`;
    throw new Rejection("threshold_not_met", `${counts}: one above the service's rejects everything`);
  }
  if (members.length < threshold) {
    throw new Rejection(
      "threshold_not_met",
      `${members.length} of ${threshold} needed${of && `, by the set${of}`}`,
    );
  }
  return members;
}

function requireAgreement(claim: Claim, settings: CallSettings): void {
  const lie = claim.comparisons.find(({ said, signed }) => !isSameText(said, signed));
  if (lie !== undefined) throw new Rejection("unsigned_field_mismatch", lie.field);
  const signed = claim.signedChannelId;
  if (signed === undefined) return;
  for (const known of [settings.channelId, claim.channelId]) {
    if (known && !isSameText(known, signed)) {
      throw new Rejection("unsigned_field_mismatch", "the channel: it answers a query of another one");
    }
  }
}
