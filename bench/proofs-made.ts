import * as Hash from "ox/Hash";
import * as Hex from "ox/Hex";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import type { EventEnvelope, OcrProof, VerifyConfig } from "../src/index.ts";
import { buildReport, reportDigest } from "../src/proofs/index.ts";

const OWNER = "0x61c4db60e1a220001201d6f4ec1244bf1f0b56c6";
const SELECTOR = "16015286601757825753";
const ORACLES = 7;
const SIGNATURES = 4;

const KEYS = Array.from({ length: ORACLES }, (_, index) => hashOf(`oracle ${index}`));

/** Whose signatures count: 4 of 7. */
export const config = {
  workflowOwner: OWNER,
  validSigners: KEYS.map(addressOf),
  minRequiredSignatures: SIGNATURES,
} satisfies VerifyConfig;

/** Contract events as the service sends them, each signed by 4 of the 7. */
export function madeEvents(count: number): EventEnvelope[] {
  return Array.from({ length: count }, (_, index) => madeEvent(index));
}

export function proofOf(event: EventEnvelope): OcrProof {
  return event.headers.proofs[0] as OcrProof;
}

function madeEvent(index: number): EventEnvelope {
  const [from, to] = [addressOf(hashOf(`from ${index}`)), addressOf(hashOf(`to ${index}`))];
  const signed = {
    name: "Transfer",
    timestamp: "2026-05-14T12:00:15Z",
    chain_family: "evm",
    chain_selector: SELECTOR,
    chain_event: {
      ...{ chain_id: "11155111", block_number: 6_500_000 + index, block_timestamp: 1_780_000_000 },
      ...{ confidence: "finalized", tx_hash: hashOf(`transaction ${index}`), address: to, log_index: index },
      topic_hash: hashOf("Transfer(address,address,uint256)"),
      event_signature: "Transfer(address,address,uint256)",
      params: { from, to, value: `${index}000000000000000000` },
    },
  };
  const text = Buffer.from(JSON.stringify(signed)).toString("base64");
  const eventHash = Hash.keccak256(new Uint8Array(Buffer.from(text)), { as: "Bytes" });
  const report = buildReport({ workflowOwner: Hex.toBytes(OWNER), eventHash });
  const context = Hex.toBytes(`${hashOf(`context ${index}`)}${"00".repeat(64)}`);
  const payload = reportDigest(report, context);
  const signers = Array.from({ length: SIGNATURES }, (_, n) => KEYS[(index + n) % ORACLES] ?? "0x");
  const proof: OcrProof = {
    alg: "ecdsa-secp256k1",
    ocr_report: Hex.fromBytes(report),
    ocr_context: Hex.fromBytes(context),
    signatures: signers.map((privateKey) => Signature.toHex(Secp256k1.sign({ payload, privateKey }))),
  };
  return {
    event_id: `event ${index}`,
    headers: { type: "watcher.event", offset: index + 1, proofs: [proof] },
    payload: {
      watcher_id: "5111df5c-0f30-42b1-a8f6-f8a6cca47791",
      chain_selector: SELECTOR,
      event_hash: Hex.fromBytes(eventHash),
      verifiable_event: text,
    },
  };
}

function hashOf(text: string): Hex.Hex {
  return Hash.keccak256(Hex.fromString(text));
}

function addressOf(privateKey: Hex.Hex): Hex.Hex {
  const publicKey = Secp256k1.getPublicKey({ privateKey, as: "Bytes" });
  return Hex.slice(Hash.keccak256(publicKey.subarray(1), { as: "Hex" }), 12);
}
