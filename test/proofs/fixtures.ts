import { readFileSync } from "node:fs";
import * as Hash from "ox/Hash";
import * as Hex from "ox/Hex";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import should from "should";
import {
  buildReport,
  reportDigest,
  type SignerSet,
  type VerifyConfig,
  type VerifyReason,
  type VerifyResult,
} from "../../src/proofs/index.ts";
import type { EventEnvelope, OcrProof } from "../../src/protocol/index.ts";

type VectorConfig = {
  org_id: string | null;
  cre_tenant_id: string;
  workflow_owner: string | null;
  valid_signers: string[];
  min_required_signatures: number;
};
export type ProofCase = {
  name: string;
  event: EventEnvelope;
  config?: Partial<VectorConfig>;
  expect: "verified" | "rejected";
  why?: string;
};

export function readVectors<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../vectors/${name}`, import.meta.url), "utf8"));
}

const vectors = readVectors<{ config: VectorConfig; cases: ProofCase[] }>("ocr-proofs.json");
export const proofCases = vectors.cases;

/** The verifier's configuration of a case: the common one, with what the case itself changes. */
export function configOf({ config = {} }: Partial<ProofCase> = {}): VerifyConfig {
  const merged = { ...vectors.config, ...config };
  return {
    orgId: merged.org_id,
    creTenantId: merged.cre_tenant_id,
    workflowOwner: merged.workflow_owner,
    validSigners: merged.valid_signers,
    minRequiredSignatures: merged.min_required_signatures,
  };
}

export function caseNamed(name: string): ProofCase {
  const found = proofCases.find((proofCase) => proofCase.name === name);
  if (found === undefined) throw new Error(`There is no case "${name}".`);
  return structuredClone(found);
}

/** Keys of a network of our own, for events the vectors do not have. */
const KEYS = keysOf([1, 2, 3, 4]);
/** Keys of another oracle family. */
const FAMILY_KEYS = keysOf([11, 12, 13, 14, 15, 16, 17]);
export const OWNER = "0x61c4db60e1a220001201d6f4ec1244bf1f0b56c6";
/** Of another organization that the same network works for. */
export const OTHER_OWNER = "0x00000000000000000000000000000000000000aa";

export const ownConfig: VerifyConfig = {
  workflowOwner: OWNER,
  validSigners: KEYS.map(addressOf),
  minRequiredSignatures: 2,
};

/** The set of the other family, with a threshold of its own. */
export const familySet: SignerSet = {
  validSigners: FAMILY_KEYS.map(addressOf),
  minRequiredSignatures: 3,
};

function keysOf(seeds: number[]): Hex.Hex[] {
  return seeds.map((seed) => Hash.keccak256(Hex.fromNumber(seed, { size: 32 })));
}

function addressOf(privateKey: Hex.Hex): string {
  const publicKey = Secp256k1.getPublicKey({ privateKey, as: "Bytes" });
  return Hex.slice(Hash.keccak256(publicKey.subarray(1), { as: "Hex" }), 12);
}

export function shouldBeRejected(result: VerifyResult, reason: VerifyReason): void {
  should(result).have.properties({ verified: false, reason });
}

/** base64 of JSON text, as it goes into `verifiable_event`. */
export function toSignedText(json: string | object): string {
  return Buffer.from(typeof json === "string" ? json : JSON.stringify(json)).toString("base64");
}

/** A proof by the first two keys of our own network, or by other keys, over any signed text. */
export function proofOf(signedText: string, owner: Hex.Hex = OWNER, keys = KEYS.slice(0, 2)): OcrProof {
  const report = buildReport({
    workflowOwner: Hex.toBytes(owner),
    eventHash: Hash.keccak256(new Uint8Array(Buffer.from(signedText)), { as: "Bytes" }),
  });
  const context = new Uint8Array(96).fill(7);
  const payload = reportDigest(report, context);
  return {
    alg: "ecdsa-secp256k1",
    ocr_report: Hex.fromBytes(report),
    ocr_context: Hex.fromBytes(context),
    signatures: keys.map((privateKey) => Signature.toHex(Secp256k1.sign({ payload, privateKey }))),
  };
}

/** An event of our own network that verifies, unless `payload` makes it lie or the owner is another. */
export function signedEvent(
  type: string,
  json: string | object,
  payload: object,
  owner: Hex.Hex = OWNER,
): EventEnvelope {
  const signedText = toSignedText(json);
  const name = type === "query.status" ? "verifiable_result" : "verifiable_event";
  return {
    event_id: "00000000-0000-4000-8000-000000000001",
    headers: { type, offset: 1, proofs: [proofOf(signedText, owner)] },
    payload: { ...payload, [name]: signedText },
  };
}

/** The same, signed by so many of the other family. */
export function signedByFamily(
  type: string,
  json: string | object,
  payload: object,
  { signatures = 3, owner = OWNER }: { signatures?: number; owner?: Hex.Hex } = {},
): EventEnvelope {
  const event = signedEvent(type, json, payload, owner);
  const proof = proofOf(toSignedText(json), owner, FAMILY_KEYS.slice(0, signatures));
  return { ...event, headers: { ...event.headers, proofs: [proof] } };
}
