import type { Address } from "../protocol/index.ts";
import type { Engine } from "./engine.ts";
import { bytesToHex, isSameText } from "./fields.ts";
import type { ProofItem } from "./proof.ts";
import { isVerifiable, type Proof, readProof, recoverSigners } from "./proof.ts";
import { Rejection } from "./reasons.ts";
import { EVENT_HASH_BYTES, REPORT_LAYOUT } from "./report.ts";
import type { CallSettings } from "./settings.ts";
import type { UnverifiedEvent } from "./unverified-event.ts";

/** Who signed, of the set, and the workflow that the report names: 64 hex digits. */
type CheckedProof = { signers: Address[]; workflowId: string };

/**
 * The checks, in their documented order.
 * @throws {Rejection} with the reason of the first check that fails.
 */
export function checkProof(event: UnverifiedEvent, settings: CallSettings, engine: Engine): CheckedProof {
  requireVerifiable(event);
  const proof = readProof(requireOneProof(event.proofs));
  const recovered = recoverSigners(proof, engine);
  requireWorkflowOwner(proof, settings);
  requireEventHash(proof, event, engine);
  const signers = requireThreshold(recovered, proof, settings);
  requireAgreement(event, settings);
  const workflowId = bytesToHex(proof.report.subarray(...REPORT_LAYOUT.workflowCid)).slice(2);
  return { signers, workflowId };
}

function requireVerifiable({ type, status }: UnverifiedEvent): void {
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

/** The hash is of the base64 text as it was sent, not of the JSON in it. */
function requireEventHash({ report }: Proof, { signed, eventHash }: UnverifiedEvent, engine: Engine): void {
  if (signed === undefined) throw new Rejection("malformed_event", "the signed text is missing");
  const reported = bytesToHex(report.subarray(-EVENT_HASH_BYTES));
  const actual = bytesToHex(engine.keccak256(Buffer.from(signed.text)));
  if (actual !== reported) throw new Rejection("event_hash_mismatch");
  if (eventHash !== undefined && !isSameText(eventHash, reported)) {
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

function requireAgreement(
  { comparisons, channelId, signedChannelId }: UnverifiedEvent,
  settings: CallSettings,
) {
  const mismatch = comparisons.find(({ unsigned, signed }) => !isSameText(unsigned, signed));
  if (mismatch !== undefined) throw new Rejection("unsigned_field_mismatch", mismatch.field);
  if (signedChannelId === undefined) return;
  for (const known of [settings.channelId, channelId]) {
    if (known && !isSameText(known, signedChannelId)) {
      throw new Rejection("unsigned_field_mismatch", "the channel: it answers a query of another channel");
    }
  }
}
