import { createHash } from "node:crypto";
import { hexToBytes } from "viem";
import { loadEngine } from "../../../src/proofs/engine.ts";
import type {
  Address,
  Hex,
  OcrProof,
  VerifiableEvent,
  VerifiableResult,
} from "../../../src/protocol/index.ts";
import {
  oracleRound,
  proofOf,
  quorumOf,
  threshold,
  type WorkflowRun,
} from "../../../src/testing/oracle-round.ts";
import { now } from "../time.ts";
import type { Oracle } from "./keys.ts";
import { quickestSign } from "./sign.ts";

/** What the oracles attest: the exact text, its hash, and the proof over that. */
export type Attestation = { text: string; hash: Hex; proof: OcrProof };

/** The simulated oracle network: every report carries exactly F + 1 signatures. */
export class OracleNetwork {
  readonly signers: Address[];
  readonly minRequiredSignatures: number;
  readonly #oracles: Oracle[];
  readonly #owner: Address;
  readonly #network: { workflowOwner: Uint8Array; workflowName: string; configDigest: Uint8Array };
  readonly #sign = quickestSign();
  readonly #engine = loadEngine();
  #sequence = 0;

  constructor(oracles: Oracle[], workflowOwner: Address) {
    this.#oracles = oracles;
    this.#owner = workflowOwner;
    this.#network = {
      workflowOwner: hexToBytes(workflowOwner),
      workflowName: "local-crec",
      configDigest: createHash("sha256").update("local oracle network").digest(),
    };
    this.signers = oracles.map((oracle) => oracle.address);
    this.minRequiredSignatures = threshold(oracles.length);
  }

  /** The same oracles, with a sequence of rounds that begins anew. */
  another(): OracleNetwork {
    return new OracleNetwork(this.#oracles, this.#owner);
  }

  /** Signs the statement of a run. `timestamp` is that of the report, in Unix seconds. */
  async attest(
    statement: VerifiableEvent | VerifiableResult,
    run: WorkflowRun,
    timestamp = now(),
  ): Promise<Attestation> {
    // JavaScript would hold all others up for a second where an event has megabytes.
    const { keccak256 } = await this.#engine;
    this.#sequence += 1;
    const sequence = this.#sequence;
    const round = oracleRound(
      { ...{ statement, run, timestamp, sequence }, network: this.#network },
      keccak256,
    );
    const sign = await this.#sign;
    const signatures = await Promise.all(
      quorumOf(this.#oracles, sequence).map(({ privateKey }) => sign(round.digest, privateKey)),
    );
    return { text: round.text, hash: round.hash, proof: proofOf(round, signatures) };
  }
}
