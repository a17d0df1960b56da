import { setImmediate as nextTurn } from "node:timers/promises";
import * as ChecksumAddress from "ox/Address";
import { ADDRESS_PATTERN, type Address, type ChannelEvent, type Hex, type Query } from "../protocol/index.ts";
import { type AskedQuery, compareWithAsked } from "./asked-query.ts";
import { type Claim, type ProofItem, readClaim } from "./claim.ts";
import { type Engine, loadEngine } from "./engine.ts";
import { bytesToHex, hexToBytes } from "./hex.ts";
import { Rejection, type VerifyReason } from "./reasons.ts";
import { EVENT_HASH_BYTES, REPORT_LAYOUT, REPORT_MIN_BYTES, reportDigest } from "./report.ts";
import { PROOF_LIMITS } from "./signed-text.ts";
import { workflowOwnerFromOrgId } from "./workflow-owner.ts";

/** Whose signatures count. Tenant, threshold and signers belong together: take all from one service. */
export type VerifyConfig = {
  /** With `creTenantId`, gives the workflow owner; not needed where that is given. */
  orgId?: string | null;
  workflowOwner?: string | null;
  creTenantId?: string | null;
  validSigners: readonly string[];
  /** How many different signers of the set must have signed; 1 or more. */
  minRequiredSignatures: number;
  /** The channel the events were asked of. Where the channel is signed, it must be this one. */
  channelId?: string;
};

export type VerifyResult =
  | { verified: true /** Those of the set who signed, checksummed. */; signers: Address[] }
  | { verified: false; reason: VerifyReason /** What it means and what to do. */; message: string };

export type Verifier = {
  /** Never rejects, whatever it is given. `channelId` goes before the one of the configuration. */
  verify(event: ChannelEvent, options?: { channelId?: string }): Promise<VerifyResult>;
  /** With `asked` the answer must also be the one to that question. */
  verifyQuery(query: Query, options?: { channelId?: string; asked?: AskedQuery }): Promise<VerifyResult>;
  /** One result an event, in their order; other work gets its turn after every 8. */
  verifyAll(events: readonly ChannelEvent[]): Promise<VerifyResult[]>;
};

/**
 * Judges one event by its proof. For many events make one verifier with `createVerifier`.
 * The result says why when the answer is no; nothing is ever thrown.
 */
export function verifyEvent(event: ChannelEvent, config: VerifyConfig): Promise<VerifyResult> {
  return createVerifier(config).verify(event);
}

/**
 * Judges the signed result of a query resource: the same steps as for its `query.status` event.
 * Give what you `asked`: without it, the true answer to another question passes, too.
 */
export function verifyQuery(
  query: Query,
  config: VerifyConfig & { asked?: AskedQuery },
): Promise<VerifyResult> {
  return createVerifier(config).verifyQuery(query, config);
}

/** Prepares a configuration once. A wrong one makes every answer `not_configured`. */
export function createVerifier(config: VerifyConfig): Verifier {
  const settings = result(() => prepare(config), "not_configured");
  const judged = async (read: () => Claim, channelId: string | undefined): Promise<VerifyResult> => {
    if (isRefusal(settings)) return settings;
    const engine = await loadEngine();
    return result(() => judge(read(), settings, engine, channelId), "malformed_event");
  };
  const verifier: Verifier = {
    verify: (event, options) => judged(() => readClaim(event), options?.channelId),
    verifyQuery: (query, options) => judged(() => readQueryClaim(query, options?.asked), options?.channelId),
    async verifyAll(events) {
      const results: VerifyResult[] = [];
      for (const event of events) {
        results.push(await verifier.verify(event));
        if (results.length % 8 === 0) await nextTurn();
      }
      return results;
    },
  };
  return verifier;
}

type Settings = {
  workflowOwner: Hex;
  /** Lower case to checksummed. */
  signers: Map<string, Address>;
  threshold: number;
  channelId: string | undefined;
};

type Refusal = Extract<VerifyResult, { verified: false }>;

/** The checks, in the order of the contract. Each throws its own reason. */
function judge(
  claim: Claim,
  settings: Settings,
  engine: Engine,
  channelId = settings.channelId,
): VerifyResult {
  requireVerifiable(claim);
  const proof = readProof(requireOneProof(claim.proofs));
  const recovered = recoverSigners(proof, engine);
  requireWorkflowOwner(proof, settings.workflowOwner);
  requireEventHash(proof, claim, engine);
  const signers = requireThreshold(recovered, settings);
  requireAgreement(claim, channelId);
  return { verified: true, signers };
}

/** Whether events of this type and status carry a proof, at once or a little later. */
export function isVerifiable(type: string, status?: string): boolean {
  switch (type) {
    case "watcher.event":
      return true;
    case "operation.status":
      return status === "confirmed_latest" || status === "confirmed_safe" || status === "confirmed";
    case "query.status":
      return status === "completed" || status === "failed";
    default:
      return false;
  }
}

function requireVerifiable(claim: Claim): void {
  if (!isVerifiable(claim.type, claim.status)) throw new Rejection("not_verifiable");
}

function requireOneProof(proofs: ProofItem[]): ProofItem {
  const [proof, ...others] = proofs;
  if (proof === undefined) throw new Rejection("no_proof");
  if (others.length > 0) throw new Rejection("multiple_proofs");
  return proof;
}

type Proof = { report: Uint8Array; context: Uint8Array; signatures: Uint8Array[] };

function readProof(item: ProofItem): Proof {
  if (item.signatures.length > PROOF_LIMITS.signatures) {
    throw new Rejection("malformed_proof", "too many signatures");
  }
  const report = proofBytes(item.report, "the report");
  if (report.length < REPORT_MIN_BYTES) throw new Rejection("malformed_proof", "the report is too short");
  const context = proofBytes(item.context, "the context");
  const signatures = item.signatures.map((signature) => proofBytes(signature, "a signature"));
  return { report, context, signatures };
}

function proofBytes(hex: string, name: string): Uint8Array {
  const bytes = hex.length <= PROOF_LIMITS.hex ? hexToBytes(hex) : undefined;
  if (bytes === undefined) throw new Rejection("malformed_proof", `${name} is not hex`);
  return bytes;
}

/** Who signed the report, in lower case; a signature sent twice counts once. */
function recoverSigners({ report, context, signatures }: Proof, engine: Engine): Set<Hex> {
  const digest = reportDigest(report, context, engine.keccak256);
  const addresses = signatures.map((signature) => engine.recoverAddress(digest, signature));
  return new Set(
    addresses.map((address) => {
      if (address === undefined) throw new Rejection("malformed_proof", "a signature is not valid");
      return address;
    }),
  );
}

function requireWorkflowOwner({ report }: Proof, expected: Hex): void {
  const owner = bytesToHex(report.subarray(...REPORT_LAYOUT.workflowOwner));
  if (owner !== expected) throw new Rejection("workflow_owner_mismatch");
}

/** The hash is that of the base64 text as it was sent, not of what it decodes to. */
function requireEventHash({ report }: Proof, { signedText, eventHash }: Claim, engine: Engine): void {
  if (signedText === undefined) throw new Rejection("malformed_event", "what was signed is missing");
  const signed = bytesToHex(report.subarray(-EVENT_HASH_BYTES));
  const actual = bytesToHex(engine.keccak256(Buffer.from(signedText)));
  if (actual !== signed) throw new Rejection("event_hash_mismatch");
  if (eventHash !== undefined && eventHash.toLowerCase() !== signed) {
    throw new Rejection("event_hash_mismatch", "the event_hash field");
  }
}

function requireThreshold(recovered: Set<Hex>, { signers, threshold }: Settings): Address[] {
  const members = [...recovered].flatMap((address) => signers.get(address) ?? []);
  if (members.length < threshold) {
    throw new Rejection("threshold_not_met", `${members.length} of ${threshold} needed`);
  }
  return members;
}

function requireAgreement(claim: Claim, channelId: string | undefined): void {
  const lie = claim.comparisons.find(({ said, signed }) => said.toLowerCase() !== signed.toLowerCase());
  if (lie !== undefined) throw new Rejection("unsigned_field_mismatch", lie.field);
  const signed = claim.signedChannelId?.toLowerCase();
  if (signed === undefined) return;
  for (const known of [channelId, claim.channelId]) {
    if (known && known.toLowerCase() !== signed) {
      throw new Rejection("unsigned_field_mismatch", "the channel");
    }
  }
}

function readQueryClaim(query: Query, asked: AskedQuery | undefined): Claim {
  const claim = readClaim(queryAsEvent(query));
  if (asked && claim.signedText !== undefined) {
    claim.comparisons.push(...compareWithAsked(asked, claim.signedText));
  }
  return claim;
}

function queryAsEvent(query: Query): unknown {
  const { proof, channel_id } = query;
  const proofs = proof === undefined || proof === null || Array.isArray(proof) ? proof : [proof];
  return { headers: { type: "query.status", proofs }, payload: query, channel_id };
}

function prepare(config: VerifyConfig): Settings {
  const { validSigners, minRequiredSignatures: threshold, channelId } = config;
  const signers = new Map<string, Address>();
  for (const signer of validSigners)
    signers.set(address(signer, "a signer"), ChecksumAddress.checksum(signer));
  if (signers.size === 0) throw new Rejection("not_configured", "there are no signers");
  if (!Number.isInteger(threshold) || threshold < 1 || threshold > signers.size) {
    throw new Rejection("not_configured", `the threshold must be from 1 to ${signers.size}`);
  }
  return { workflowOwner: expectedOwner(config), signers, threshold, channelId };
}

function expectedOwner({ workflowOwner, orgId, creTenantId }: VerifyConfig): Hex {
  if (workflowOwner) return address(workflowOwner, "the workflow owner");
  if (!orgId) throw new Rejection("not_configured", "neither organization id nor workflow owner");
  if (typeof creTenantId !== "string") throw new Rejection("not_configured", "the CRE tenant is missing");
  return address(workflowOwnerFromOrgId(orgId, creTenantId), "the workflow owner");
}

function address(value: string, name: string): Hex {
  if (!ADDRESS_PATTERN.test(value)) throw new Rejection("not_configured", `${name} is not an address`);
  return value.toLowerCase() as Hex;
}

/** Runs checks on foreign values: whatever else they throw, a getter of theirs say, has the given reason. */
function result<T>(check: () => T, otherwise: VerifyReason): T | Refusal {
  try {
    return check();
  } catch (error) {
    const { reason, message } = isRejection(error) ? error : new Rejection(otherwise);
    return { verified: false, reason, message };
  }
}

/** Even asking what a thrown value is can throw. */
function isRejection(error: unknown): error is Rejection {
  try {
    return error instanceof Rejection;
  } catch {
    return false;
  }
}

function isRefusal(settings: Settings | Refusal): settings is Refusal {
  return "verified" in settings;
}
