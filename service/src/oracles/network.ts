import { createHash } from "node:crypto";
import { hexToBytes, toHex } from "viem";
import { loadEngine } from "../../../src/proofs/engine.ts";
import { buildReport, reportDigest } from "../../../src/proofs/report.ts";
import type {
  Address,
  Hex,
  OcrProof,
  VerifiableEvent,
  VerifiableResult,
} from "../../../src/protocol/index.ts";
import { now } from "../time.ts";
import type { Oracle } from "./keys.ts";
import { quickestSign } from "./sign.ts";
import type { WorkflowRun } from "./workflows.ts";

/** What the oracles attest: the exact text, its hash, and the proof over that. */
export type Attestation = { text: string; hash: Hex; proof: OcrProof };

/** A network of n oracles bears F faulty ones, F = (n − 1) / 3; one honest signature more makes F + 1. */
export function threshold(oracles: number): number {
  return Math.floor((oracles - 1) / 3) + 1;
}

/** The simulated oracle network: every report carries exactly F + 1 signatures. */
export class OracleNetwork {
  readonly signers: Address[];
  readonly minRequiredSignatures: number;
  readonly #oracles: Oracle[];
  readonly #owner: Address;
  readonly #workflowOwner: Uint8Array;
  readonly #configDigest = createHash("sha256").update("local oracle network").digest();
  readonly #sign = quickestSign();
  readonly #engine = loadEngine();
  #sequence = 0;

  constructor(oracles: Oracle[], workflowOwner: Address) {
    this.#oracles = oracles;
    this.#owner = workflowOwner;
    this.#workflowOwner = hexToBytes(workflowOwner);
    this.signers = oracles.map((oracle) => oracle.address);
    this.minRequiredSignatures = threshold(oracles.length);
  }

  /** The same oracles, with a sequence of rounds that begins anew. */
  another(): OracleNetwork {
    return new OracleNetwork(this.#oracles, this.#owner);
  }

  /**
   * Signs the statement of a run. The hash covers the bytes of the base64 text, not of what it decodes to. `timestamp`
   * is that of the report, in Unix seconds.
   */
  async attest(
    statement: VerifiableEvent | VerifiableResult,
    run: WorkflowRun,
    timestamp = now(),
  ): Promise<Attestation> {
    const text = Buffer.from(JSON.stringify(statement)).toString("base64");
    // JavaScript would hold all others up for a second where an event has megabytes.
    const { keccak256 } = await this.#engine;
    const hash = toHex(keccak256(Buffer.from(text)));
    const report = buildReport({
      timestamp,
      donId: 1,
      donConfigVersion: 1,
      workflowExecutionId: Buffer.from(run.workflow_execution_id, "hex"),
      workflowCid: Buffer.from(run.workflow_id, "hex"),
      workflowName: Buffer.from("local-crec"),
      workflowOwner: this.#workflowOwner,
      reportId: Buffer.from([0, 1]),
      eventHash: hexToBytes(hash),
    });
    const context = this.#context();
    const digest = reportDigest(report, context, keccak256);
    const sign = await this.#sign;
    const signatures = await Promise.all(this.#quorum().map(({ privateKey }) => sign(digest, privateKey)));
    const proof = {
      alg: "ecdsa-secp256k1",
      ocr_report: toHex(report),
      ocr_context: toHex(context),
      signatures,
    };
    return { text, hash, proof };
  }

  /** Config digest, then epoch and round, then extra hash: 32 bytes each. */
  #context(): Uint8Array {
    const context = Buffer.alloc(96);
    this.#configDigest.copy(context);
    this.#sequence += 1;
    context.writeUIntBE(this.#sequence, 58, 6);
    return new Uint8Array(context);
  }

  /** Another F + 1 of the oracles each round. */
  #quorum(): Oracle[] {
    const first = this.#sequence % this.#oracles.length;
    return [...this.#oracles.slice(first), ...this.#oracles.slice(0, first)].slice(
      0,
      this.minRequiredSignatures,
    );
  }
}
