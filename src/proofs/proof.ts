import type { Engine } from "./engine.ts";
import { hexToBytes } from "./hex.ts";
import type { ProofItem } from "./proof-item.ts";
import { Rejection } from "./reasons.ts";
import { REPORT_MIN_BYTES, reportDigest } from "./report.ts";
import { PROOF_LIMITS } from "./signed-text.ts";

/** A proof in bytes. */
export type Proof = { report: Uint8Array; context: Uint8Array; signatures: Uint8Array[] };

/** @throws {Rejection} `malformed_proof` when it is not hex, or too short or too long. */
export function readProof(item: ProofItem): Proof {
  if (item.signatures.length > PROOF_LIMITS.signatures) {
    throw new Rejection("malformed_proof", "too many signatures");
  }
  const report = proofBytes(item.report, "the report");
  if (report.length < REPORT_MIN_BYTES) throw new Rejection("malformed_proof", "the report is too short");
  const context = proofBytes(item.context, "the context");
  const signatures = item.signatures.map((signature) => proofBytes(signature, "a signature"));
  return { report, context, signatures };
}

function proofBytes(hex: string, name: string): Uint8Array {
  const bytes = hex.length <= PROOF_LIMITS.hex ? hexToBytes(hex) : undefined;
  if (bytes === undefined) throw new Rejection("malformed_proof", `${name} is not hex`);
  return bytes;
}

/**
 * The addresses that signed the report, in lower case; a signature sent twice counts once.
 * @throws {Rejection} `malformed_proof` when a signature is not valid.
 */
export function recoverSigners({ report, context, signatures }: Proof, engine: Engine): Set<string> {
  const digest = reportDigest(report, context, engine.keccak256);
  const signers = new Set<string>();
  for (const signature of signatures) {
    const address = engine.recoverAddress(digest, signature);
    if (address === undefined) throw new Rejection("malformed_proof", "a signature is not valid");
    signers.add(address);
  }
  return signers;
}
