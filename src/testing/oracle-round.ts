import { randomBytes } from "node:crypto";
import * as Address from "ox/Address";
import * as Hash from "ox/Hash";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import { bytesToHex, hexToBytes } from "../proofs/fields.ts";
import { buildReport, reportDigest, workflowOwnerFromOrgId } from "../proofs/report.ts";
import type {
  Address as AddressText,
  Hex,
  OcrProof,
  VerifiableEvent,
  VerifiableResult,
} from "../protocol/index.ts";

/** What `createVerifier` needs to accept events of a fake. */
export type FakeVerification = {
  /** An organization that does not exist. */
  orgId: string;
  creTenantId: string;
  /** The addresses of the fake's own oracles. */
  validSigners: AddressText[];
  minRequiredSignatures: number;
};

/** The smallest network that bears a faulty oracle. */
const ORACLES = 4;
const TENANT = "1";

/** Oracles with fresh keys, which never leave this object. */
export class FakeOracles {
  readonly verification: FakeVerification;
  readonly #keys: readonly Hex[];
  readonly #network: { workflowOwner: Uint8Array; workflowName: string; configDigest: Uint8Array };
  #sequence = 0;

  constructor() {
    this.#keys = Array.from({ length: ORACLES }, () => Secp256k1.randomPrivateKey());
    const orgId = `org_fake${randomBytes(8).toString("hex")}`;
    this.verification = {
      ...{ orgId, creTenantId: TENANT },
      validSigners: this.#keys.map((privateKey) =>
        Address.checksum(Address.fromPublicKey(Secp256k1.getPublicKey({ privateKey }))),
      ),
      minRequiredSignatures: threshold(ORACLES),
    };
    this.#network = {
      workflowOwner: hexToBytes(workflowOwnerFromOrgId(orgId, TENANT)) ?? new Uint8Array(),
      workflowName: "crec-fakes",
      configDigest: randomBytes(32),
    };
  }

  /** Signs a statement, as the oracles of the service do. `timestamp` is in Unix seconds. */
  attest(
    statement: VerifiableEvent | VerifiableResult,
    run: WorkflowRun,
    timestamp: number,
  ): { text: string; hash: Hex; proof: OcrProof } {
    this.#sequence += 1;
    const sequence = this.#sequence;
    const round = oracleRound({ ...{ statement, run, timestamp, sequence }, network: this.#network });
    const signatures = quorumOf(this.#keys, sequence).map((privateKey) =>
      Signature.toHex(Secp256k1.sign({ payload: round.digest, privateKey })),
    );
    return { text: round.text, hash: round.hash, proof: proofOf(round, signatures) };
  }
}

/** One run of a workflow, as resources, events and reports name it: 64 hex digits each. */
export type WorkflowRun = { workflow_id: string; workflow_execution_id: string };

/** What is to be signed, and by which network of oracles. */
type RoundInput = {
  statement: VerifiableEvent | VerifiableResult;
  run: WorkflowRun;
  /** Of the report, in Unix seconds. */
  timestamp: number;
  network: {
    workflowOwner: Uint8Array;
    /** 10 characters. */
    workflowName: string;
    /** 32 bytes. */
    configDigest: Uint8Array;
  };
  /** Of the round, from 1. */
  sequence: number;
};

/** What the oracles of a round sign. */
type OracleRound = {
  /** The statement as it is sent. */
  text: string;
  /** The hash of the bytes of that text, not of what it decodes to. */
  hash: Hex;
  report: Uint8Array;
  context: Uint8Array;
  /** 32 bytes. */
  digest: Uint8Array;
};

type Keccak256 = (bytes: Uint8Array) => Uint8Array;

const inJavaScript: Keccak256 = (bytes) => Hash.keccak256(bytes, { as: "Bytes" });

/** Prepares a round of oracles, whose signatures `proofOf` puts together. */
export function oracleRound(
  { statement, run, timestamp, network, sequence }: RoundInput,
  keccak256 = inJavaScript,
): OracleRound {
  const text = Buffer.from(JSON.stringify(statement)).toString("base64");
  const eventHash = keccak256(Buffer.from(text));
  const report = buildReport({
    timestamp,
    donId: 1,
    donConfigVersion: 1,
    workflowExecutionId: Buffer.from(run.workflow_execution_id, "hex"),
    workflowCid: Buffer.from(run.workflow_id, "hex"),
    workflowName: Buffer.from(network.workflowName),
    workflowOwner: network.workflowOwner,
    reportId: Buffer.from([0, 1]),
    eventHash,
  });
  const context = contextOf(network.configDigest, sequence);
  const digest = reportDigest(report, context, keccak256);
  return { text, hash: bytesToHex(eventHash), report, context, digest };
}

/** The proof of a round. A signature is r‖s‖v in 65 bytes. */
export function proofOf({ report, context }: OracleRound, signatures: Hex[]): OcrProof {
  return {
    alg: "ecdsa-secp256k1",
    ocr_report: bytesToHex(report),
    ocr_context: bytesToHex(context),
    signatures,
  };
}

/** A network of n oracles bears F faulty ones, F = (n − 1) / 3; one honest signature more makes F + 1. */
export function threshold(oracles: number): number {
  return Math.floor((oracles - 1) / 3) + 1;
}

/** The F + 1 of the oracles that sign a round: others each time. */
export function quorumOf<Oracle>(oracles: readonly Oracle[], sequence: number): Oracle[] {
  const first = sequence % oracles.length;
  return [...oracles.slice(first), ...oracles.slice(0, first)].slice(0, threshold(oracles.length));
}

/** Config digest, then epoch and round, then extra hash: 32 bytes each. */
function contextOf(configDigest: Uint8Array, sequence: number): Uint8Array {
  const context = Buffer.alloc(96);
  context.set(configDigest);
  context.writeUIntBE(sequence, 58, 6);
  return new Uint8Array(context);
}
