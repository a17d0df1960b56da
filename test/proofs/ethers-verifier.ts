import {
  concat,
  dataLength,
  dataSlice,
  isHexString,
  keccak256,
  N,
  recoverAddress,
  Signature,
  toBeHex,
  toUtf8Bytes,
} from "ethers";

/** The configuration of the other verifier. Addresses are in lower case. */
export type Expected = { owner: string; signers: string[]; threshold: number };

type Json = { [key: string]: unknown };

/**
 * The rules of a proof once more, with nothing of ours and another library. It gives the reason, or "verified".
 * Only for events of the right outer shape: headers with proofs, and a payload.
 */
export function judgeWithEthers(event: unknown, expected: Expected): string {
  const { headers, payload } = event as { headers: { type: string; proofs: Json[] }; payload: Json };
  const says = (name: string) => String(payload[name]).toLowerCase();
  const isQuery = headers.type === "query.status";
  const text = payload[isQuery ? "verifiable_result" : "verifiable_event"] as string;

  // Of a status that never carries a proof, whatever looks signed is not looked at.
  if (isQuery && !["completed", "failed"].includes(says("status"))) return "not_verifiable";
  if (headers.type === "operation.status" && !says("status").startsWith("confirmed")) return "not_verifiable";

  let signed: Json;
  try {
    signed = JSON.parse(Buffer.from(text, "base64").toString());
  } catch {
    return "malformed_event";
  }
  const data = (signed.data ?? {}) as Json;
  const pairs: Array<[string, unknown]> = [["chain_selector", signed.chain_selector]];
  if (headers.type === "watcher.event") {
    if (!signed.chain_event) return "malformed_event";
  } else if (isQuery) {
    const { contract_address } = (data.target ?? {}) as Json;
    if (data.query_id === undefined || (data.result === undefined) === (data.error === undefined)) {
      return "malformed_event";
    }
    pairs.push(["query_id", data.query_id], ["target", contract_address]);
    pairs.push(["status", data.result === undefined ? "failed" : "completed"]);
  } else {
    if (data.wallet_operation_id === undefined) return "malformed_event";
    pairs.push(["wallet_operation_id", data.wallet_operation_id], ["address", data.wallet_address]);
    pairs.push(["status", data.status]);
  }

  const proofs = headers.proofs.filter((proof) => typeof proof.ocr_report === "string");
  if (proofs.length !== 1) return proofs.length === 0 ? "no_proof" : "multiple_proofs";
  const { ocr_report, ocr_context, signatures } = proofs[0] as {
    ocr_report: string;
    ocr_context: string;
    signatures: string[];
  };
  const isBytes = (hex: string) => isHexString(hex) && hex.length % 2 === 0;
  if (![ocr_report, ocr_context, ...signatures].every(isBytes) || dataLength(ocr_report) < 141) {
    return "malformed_proof";
  }
  const digest = keccak256(concat([keccak256(ocr_report), ocr_context]));
  const recovered = new Set<string>();
  for (const signature of signatures) {
    const address = recover(digest, signature);
    if (address === undefined) return "malformed_proof";
    recovered.add(address);
  }
  if (dataSlice(ocr_report, 87, 107) !== expected.owner) return "workflow_owner_mismatch";
  const hash = keccak256(toUtf8Bytes(text));
  if (dataSlice(ocr_report, dataLength(ocr_report) - 32) !== hash) return "event_hash_mismatch";
  if (payload.event_hash !== undefined && says("event_hash") !== hash) return "event_hash_mismatch";
  if (expected.signers.filter((signer) => recovered.has(signer)).length < expected.threshold) {
    return "threshold_not_met";
  }
  const agrees = pairs.every(([name, value]) => says(name) === String(value).toLowerCase());
  return agrees ? "verified" : "unsigned_field_mismatch";
}

/** ethers takes low s alone: the other form of the same signature has n − s and the other recovery id. */
function recover(digest: string, signature: string): string | undefined {
  if (dataLength(signature) !== 65) return undefined;
  const v = Number(dataSlice(signature, 64));
  if (![0, 1, 27, 28].includes(v)) return undefined;
  const s = BigInt(dataSlice(signature, 32, 64));
  const isHigh = s > N / 2n;
  const yParity = (v % 27 === 1) !== isHigh ? 1 : 0;
  try {
    const low = { r: dataSlice(signature, 0, 32), s: toBeHex(isHigh ? N - s : s, 32), yParity } as const;
    return recoverAddress(digest, Signature.from(low)).toLowerCase();
  } catch {
    return undefined;
  }
}
