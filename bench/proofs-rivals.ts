import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import * as ethers from "ethers";
import * as viem from "viem";
import type { EventEnvelope, Hex } from "../src/index.ts";
import { config, proofOf } from "./proofs-made.ts";

/**
 * The same checks as one writes them with each library: base64 and JSON, owner, hash of the text, digest, recovery of
 * every signer, membership, threshold. Each says whether the proof holds.
 */
export type Check = (event: EventEnvelope) => boolean | Promise<boolean>;

const owner = config.workflowOwner;
const signers = new Set(config.validSigners.map((signer) => signer.toLowerCase()));

function holds(event: EventEnvelope, addresses: string[]): boolean {
  const { chain_selector } = JSON.parse(Buffer.from(textOf(event), "base64").toString());
  const members = new Set(
    addresses.map((address) => address.toLowerCase()).filter((each) => signers.has(each)),
  );
  return members.size >= config.minRequiredSignatures && chain_selector === event.payload.chain_selector;
}

function textOf(event: EventEnvelope): string {
  return String(event.payload.verifiable_event);
}

export async function checkWithViem(event: EventEnvelope): Promise<boolean> {
  const { ocr_report, ocr_context, signatures } = proofOf(event);
  if (viem.slice(ocr_report, 87, 107) !== owner) return false;
  if (viem.slice(ocr_report, -32) !== viem.keccak256(viem.stringToBytes(textOf(event)))) return false;
  const hash = viem.keccak256(viem.concat([viem.keccak256(ocr_report), ocr_context]));
  const recovered: string[] = [];
  for (const signature of signatures) recovered.push(await viem.recoverAddress({ hash, signature }));
  return holds(event, recovered);
}

export function checkWithEthers(event: EventEnvelope): boolean {
  const { ocr_report, ocr_context, signatures } = proofOf(event);
  if (ethers.dataSlice(ocr_report, 87, 107) !== owner) return false;
  const hash = ethers.keccak256(ethers.toUtf8Bytes(textOf(event)));
  if (ethers.dataSlice(ocr_report, ethers.dataLength(ocr_report) - 32) !== hash) return false;
  const digest = ethers.keccak256(ethers.concat([ethers.keccak256(ocr_report), ocr_context]));
  return holds(
    event,
    signatures.map((signature) => ethers.recoverAddress(digest, signature)),
  );
}

export function checkWithNoble(event: EventEnvelope): boolean {
  const { ocr_report, ocr_context, signatures } = proofOf(event);
  const report = bytesOf(ocr_report);
  if (`0x${Buffer.from(report.subarray(87, 107)).toString("hex")}` !== owner) return false;
  const hash = keccak_256(new TextEncoder().encode(textOf(event)));
  if (Buffer.compare(report.subarray(-32), hash) !== 0) return false;
  const digest = keccak_256(Buffer.concat([keccak_256(report), bytesOf(ocr_context)]));
  return holds(
    event,
    signatures.map((signature) => {
      const bytes = bytesOf(signature);
      const recovery = (bytes[64] ?? 0) % 27;
      const key = secp256k1.Signature.fromBytes(bytes.subarray(0, 64))
        .addRecoveryBit(recovery)
        .recoverPublicKey(digest);
      return `0x${Buffer.from(keccak_256(key.toBytes(false).subarray(1)).subarray(12)).toString("hex")}`;
    }),
  );
}

function bytesOf(hex: Hex): Uint8Array {
  return new Uint8Array(Buffer.from(hex.slice(2), "hex"));
}
