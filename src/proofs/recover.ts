import * as ChecksumAddress from "ox/Address";
import { CrecError } from "../errors.ts";
import type { Address, OcrProof } from "../protocol/index.ts";
import { loadEngine } from "./engine.ts";
import { readProof, recoverSigners } from "./proof.ts";
import { Rejection } from "./reasons.ts";
import { yieldRegularly } from "./yielding.ts";

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
