import { randomBytes } from "node:crypto";
import * as Address from "ox/Address";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import { hexToBytes } from "../proofs/fields.ts";
import { workflowOwnerFromOrgId } from "../proofs/report.ts";
import type {
  Address as AddressText,
  Hex,
  OcrProof,
  VerifiableEvent,
  VerifiableResult,
} from "../protocol/index.ts";
import { oracleRound, proofOf, quorumOf, threshold, type WorkflowRun } from "./oracle-round.ts";

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
