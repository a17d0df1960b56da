import { isObject } from "./fields.ts";
import { Rejection } from "./reasons.ts";
import { PROOF_LIMITS } from "./signed-text.ts";

/** A proof item of the OCR shape; its hex is not checked yet. */
export type ProofItem = { report: string; context: string; signatures: string[] };

/**
 * The proofs of an event. Items of another shape are skipped: there may be other kinds of proof as well.
 * @throws {Rejection} `malformed_event`
 */
export function readProofItems(proofs: unknown): ProofItem[] {
  if (proofs === undefined || proofs === null) return [];
  if (!Array.isArray(proofs)) throw new Rejection("malformed_event", "proofs is not a list");
  if (proofs.length > PROOF_LIMITS.proofs) throw new Rejection("malformed_event", "too many proofs");
  return proofs.flatMap(readProofItem);
}

function readProofItem(item: unknown): ProofItem[] {
  if (!isObject(item)) return [];
  const { alg, ocr_report: report, ocr_context: context, signatures } = item;
  if (typeof alg !== "string" || typeof report !== "string" || typeof context !== "string") return [];
  if (!Array.isArray(signatures)) return [];
  // One beyond the limit is enough to know that there are too many.
  const copy: unknown[] = signatures.slice(0, PROOF_LIMITS.signatures + 1);
  return copy.every((signature) => typeof signature === "string")
    ? [{ report, context, signatures: copy }]
    : [];
}
