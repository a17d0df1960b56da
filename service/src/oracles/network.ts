import { createHash, randomBytes } from "node:crypto";
import { hexToBytes, keccak256, toHex } from "viem";
import { privateKeyToAddress, sign as signInJavaScript } from "viem/accounts";
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
import { ServiceProblem } from "../errors.ts";
import { secretFile, seededBytes } from "../secrets.ts";
import { now } from "../time.ts";

/** What the oracles attest: the exact text, its hash, and the proof over that. */
export type Attestation = { text: string; hash: Hex; proof: OcrProof };

type Oracle = { privateKey: Hex; address: Address };

const ORACLES = 7;

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

/**
 * The simulated oracle network of a data directory: made at its first start, by a seed if there is one, and found again
 * later.
 *
 * @throws ServiceProblem when the file is damaged, or has other keys than the seed gives.
 */
export function oracleKeys(file: string, seed?: number): Oracle[] {
  const oracles = readOracles(file, () => newKeys(seed));
  const keys = JSON.stringify(oracles.map(({ privateKey }) => privateKey));
  if (seed === undefined || keys === newKeys(seed)) return oracles;
  throw new ServiceProblem(
    `The oracle keys in ${file} are not those of the seed ${seed}. Choose another data directory with --data-dir or CREC_DATA_DIR, or start without a seed.`,
  );
}

function readOracles(file: string, make: () => string): Oracle[] {
  try {
    const keys = JSON.parse(secretFile(file, make)) as Hex[];
    return keys.map((privateKey) => ({ privateKey, address: privateKeyToAddress(privateKey) }));
  } catch {
    // Not what went wrong: it would quote from the keys.
    throw new ServiceProblem(
      `The oracle keys in ${file} cannot be used. Restore the file, or remove the data directory to start afresh.`,
    );
  }
}

function newKeys(seed: number | undefined): string {
  const newKey = (_: unknown, index: number) =>
    seed === undefined ? randomBytes(32) : seededBytes(seed, `oracle ${index}`);
  return JSON.stringify(Array.from({ length: ORACLES }, newKey).map((key) => `0x${key.toString("hex")}`));
}

/** Signs a digest of 32 bytes: r‖s‖v in 65 bytes of hex, with v 27 or 28. */
type Sign = (digest: Uint8Array, privateKey: Hex) => Promise<Hex>;

/**
 * The quickest way to sign that this machine has: every log is signed by several oracles at each confidence.
 * WebAssembly, checked once against plain JavaScript, which takes twenty times as long.
 */
async function quickestSign(): Promise<Sign> {
  try {
    const sign = await signByWebAssembly();
    const [digest, key] = [hexToBytes(keccak256("0x01")), keccak256("0x02")];
    if ((await sign(digest, key)) === (await signPlainly(digest, key))) return sign;
  } catch {
    // No WebAssembly here.
  }
  return signPlainly;
}

const signPlainly: Sign = (digest, privateKey) =>
  signInJavaScript({ hash: toHex(digest), privateKey, to: "hex" });

/** The digest as it is, and the same signature each time. */
const SIGNING = { extraEntropy: false, prehash: false } as const;

async function signByWebAssembly(): Promise<Sign> {
  const { engine } = await import("ox/wasm/Secp256k1");
  const secp256k1 = await engine();
  return async (digest, privateKey) => {
    const [recovery = 0, ...rest] = secp256k1.sign(digest, hexToBytes(privateKey), SIGNING);
    return toHex(Uint8Array.from([...rest, 27 + recovery]));
  };
}
