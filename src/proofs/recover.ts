import * as ChecksumAddress from "ox/Address";
import { CrecError } from "../errors.ts";
import type { Address, OcrProof } from "../protocol/index.ts";
import { loadEngine } from "./engine.ts";
import { readProof, recoverSigners } from "./proof.ts";
import { Rejection } from "./reasons.ts";
import { takeTurn } from "./turns.ts";

/**
 * Whose keys signed a report in its context: each once, checksummed, strangers among them. **No verification**:
 * it knows neither the event nor its organization, nor whom to trust, and anybody can sign anything.
 * For tools that have report, context and signatures and nothing else; `verifyEvent` is the whole check.
 * @throws {CrecError} `MALFORMED_PROOF` when it is not hex, the report is shorter than 141 bytes, or a signature is
 * none.
 * @example
 * const [proof] = event.headers.proofs;
 * const addresses = await recoverReportSigners(proof as OcrProof);
 * addresses.length >= config.minRequiredSignatures; // → true
 */
export async function recoverReportSigners(
  proof: Pick<OcrProof, "ocr_report" | "ocr_context" | "signatures">,
): Promise<Address[]> {
  const engine = await loadEngine();
  await takeTurn();
  try {
    const { ocr_report: report, ocr_context: context, signatures } = proof;
    const signers = recoverSigners(readProof({ report, context, signatures }), engine);
    return [...signers].map((signer) => ChecksumAddress.checksum(signer));
  } catch (cause) {
    const { message } = cause instanceof Rejection ? cause : new Rejection("malformed_proof");
    throw new CrecError("MALFORMED_PROOF", message, { cause });
  }
}
