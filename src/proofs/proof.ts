import * as ChecksumAddress from "ox/Address";
import { CrecError } from "../errors.ts";
import type { Address, OcrProof } from "../protocol/index.ts";
import { type Engine, loadEngine, yieldRegularly } from "./engine.ts";
import { hexToBytes, isObject } from "./fields.ts";
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

/**
 * Whether events of this type and status carry a proof. It may come a little later than the event.
 * @example
 * isVerifiable("operation.status", "confirmed"); // → true
 * isVerifiable("operation.status", "sent"); // → false
 */
export function isVerifiable(type: string, status?: string): boolean {
  switch (type) {
    case "watcher.event":
      return true;
    case "operation.status":
      return status === "confirmed_latest" || status === "confirmed_safe" || status === "confirmed";
    case "query.status":
      return status === "completed" || status === "failed";
    default:
      return false;
  }
}

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

/**
 * The addresses that signed a report in its context: each once, checksummed, unknown ones included. **This is not
 * verification**: it checks neither event nor organization nor trusted signers, and anyone can sign anything.
 * For tools that have only report, context and signatures; `verifyEvent` is the whole check.
 * @throws {CrecError} `MALFORMED_PROOF` when a part is not hex, the report is shorter than 141 bytes, or a signature is
 * not valid.
 * @example
 * const [proof] = event.headers.proofs;
 * const addresses = await recoverReportSigners(proof as OcrProof);
 * addresses.length >= config.minRequiredSignatures; // → true
 */
export async function recoverReportSigners(
  proof: Pick<OcrProof, "ocr_report" | "ocr_context" | "signatures">,
): Promise<Address[]> {
  const engine = await loadEngine();
  await yieldRegularly();
  try {
    const { ocr_report: report, ocr_context: context, signatures } = proof;
    const signers = recoverSigners(readProof({ report, context, signatures }), engine);
    return [...signers].map((signer) => ChecksumAddress.checksum(signer));
  } catch (cause) {
    const { message } = cause instanceof Rejection ? cause : new Rejection("malformed_proof");
    throw new CrecError("MALFORMED_PROOF", message, { cause });
  }
}
