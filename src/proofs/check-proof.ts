import * as ChecksumAddress from "ox/Address";
import { ADDRESS_PATTERN, type Address, type Hex } from "../protocol/index.ts";
import type { Engine } from "./engine.ts";
import { bytesToHex, isSameText } from "./fields.ts";
import { isVerifiable, type Proof, type ProofItem, readProof, recoverSigners } from "./proof.ts";
import { Rejection } from "./reasons.ts";
import { EVENT_HASH_BYTES, REPORT_LAYOUT, workflowOwnerFromOrgId } from "./report.ts";
import type { UnverifiedEvent } from "./unverified-event.ts";
import type { SignerSet, VerifyConfig, VerifyOptions } from "./verify-types.ts";

/** Who signed, of the set, and the workflow that the report names: 64 hex digits. */
type CheckedProof = { signers: Address[]; workflowId: string };

/**
 * The checks, in their documented order.
 * @throws {Rejection} with the reason of the first check that fails.
 */
export function checkProof(event: UnverifiedEvent, settings: CallSettings, engine: Engine): CheckedProof {
  requireVerifiable(event);
  const proof = readProof(requireOneProof(event.proofs));
  const recovered = recoverSigners(proof, engine);
  requireWorkflowOwner(proof, settings);
  requireEventHash(proof, event, engine);
  const signers = requireThreshold(recovered, proof, settings);
  requireAgreement(event, settings);
  const workflowId = bytesToHex(proof.report.subarray(...REPORT_LAYOUT.workflowCid)).slice(2);
  return { signers, workflowId };
}

function requireVerifiable({ type, status }: UnverifiedEvent): void {
  if (!isVerifiable(type, status)) throw new Rejection("not_verifiable");
}

function requireOneProof(proofs: ProofItem[]): ProofItem {
  const [proof, ...others] = proofs;
  if (proof === undefined) throw new Rejection("no_proof");
  if (others.length > 0) throw new Rejection("multiple_proofs");
  return proof;
}

function requireWorkflowOwner({ report }: Proof, { workflowOwner }: CallSettings): void {
  const owner = bytesToHex(report.subarray(...REPORT_LAYOUT.workflowOwner));
  if (owner !== workflowOwner) throw new Rejection("workflow_owner_mismatch");
}

/** The hash is of the base64 text as it was sent, not of the JSON in it. */
function requireEventHash({ report }: Proof, { signed, eventHash }: UnverifiedEvent, engine: Engine): void {
  if (signed === undefined) throw new Rejection("malformed_event", "the signed text is missing");
  const reported = bytesToHex(report.subarray(-EVENT_HASH_BYTES));
  const actual = bytesToHex(engine.keccak256(Buffer.from(signed.text)));
  if (actual !== reported) throw new Rejection("event_hash_mismatch");
  if (eventHash !== undefined && !isSameText(eventHash, reported)) {
    throw new Rejection("event_hash_mismatch", "the event_hash field");
  }
}

function requireThreshold(
  recovered: Set<string>,
  { signatures }: Proof,
  { signers, threshold, of }: CallSettings,
): Address[] {
  const members = [...recovered].flatMap((address) => signers.get(address) ?? []);
  if (signatures.length < threshold) {
    const counts = `it carries ${signatures.length}, and the threshold${of} is ${threshold}`;
    throw new Rejection("threshold_not_met", `${counts}: one above the service's rejects everything`);
  }
  if (members.length < threshold) {
    throw new Rejection(
      "threshold_not_met",
      `${members.length} of ${threshold} needed${of && `, by the set${of}`}`,
    );
  }
  return members;
}

function requireAgreement(
  { comparisons, channelId, signedChannelId }: UnverifiedEvent,
  settings: CallSettings,
) {
  const mismatch = comparisons.find(({ unsigned, signed }) => !isSameText(unsigned, signed));
  if (mismatch !== undefined) throw new Rejection("unsigned_field_mismatch", mismatch.field);
  if (signedChannelId === undefined) return;
  for (const known of [settings.channelId, channelId]) {
    if (known && !isSameText(known, signedChannelId)) {
      throw new Rejection("unsigned_field_mismatch", "the channel: it answers a query of another channel");
    }
  }
}

/** A checked configuration, in the form that the proof checks need. */
export type Settings = {
  /** Addresses in lower case, to the same checksummed. */
  signers: Map<string, Address>;
  threshold: number;
  creTenantId: string | null;
  /** Undefined where each call has to name the organization. */
  workflowOwner: Hex | undefined;
  channelId: string | undefined;
  /** Which set it is, as written in a message: empty, or ` of the family "…"`. */
  of: string;
};

/** The same for one call. */
export type CallSettings = Settings & { workflowOwner: Hex };

/** @throws {Rejection} `not_configured` when no proof could ever pass. */
export function prepare(config: VerifyConfig, of = ""): Settings {
  const { validSigners, minRequiredSignatures: threshold, creTenantId = null, channelId } = config;
  const signers = new Map<string, Address>();
  for (const signer of validSigners)
    signers.set(address(signer, `a signer${of}`), ChecksumAddress.checksum(signer));
  if (signers.size === 0) throw new Rejection("not_configured", `there are no signers${of}`);
  if (!Number.isInteger(threshold) || threshold < 1 || threshold > signers.size) {
    throw new Rejection("not_configured", `the threshold${of} must be from 1 to ${signers.size}`);
  }
  requireKept(config, channelId);
  return { signers, threshold, creTenantId, workflowOwner: ownerOf(config, of), channelId, of };
}

/**
 * The set of one oracle family. It takes the organization and tenant of the default set where it names none.
 * @throws {Rejection} `not_configured`
 */
export function prepareFamily(config: VerifyConfig, family: string, set: SignerSet): Settings {
  const { validSigners, minRequiredSignatures, orgId, workflowOwner, creTenantId } = set;
  // The default set's owner belongs to its organization and tenant only.
  const hasOwnOwner = Boolean(orgId || workflowOwner || creTenantId);
  const merged: VerifyConfig = {
    validSigners,
    minRequiredSignatures,
    orgId: orgId || config.orgId || null,
    creTenantId: creTenantId || config.creTenantId || null,
    workflowOwner: (hasOwnOwner ? workflowOwner : config.workflowOwner) || null,
    ...("channelId" in config ? { channelId: config.channelId } : {}),
  };
  return prepare(merged, ` of the family "${family}"`);
}

/**
 * The call's options replace those of the configuration. Once the call names an organization, even an empty one, that
 * of the configuration is ignored: when an id is lost, the events of another organization must not be accepted.
 * @throws {Rejection} `not_configured` when neither of them names an organization.
 */
export function forCall(settings: Settings, options: VerifyOptions): CallSettings {
  const namesOwner = "orgId" in options || "workflowOwner" in options;
  const workflowOwner = namesOwner
    ? ownerOf({ ...options, creTenantId: settings.creTenantId }, settings.of)
    : settings.workflowOwner;
  if (workflowOwner === undefined) {
    throw new Rejection("not_configured", `neither organization id nor workflow owner${settings.of}`);
  }
  const channelId = options.channelId ?? settings.channelId;
  requireKept(options, channelId);
  return { ...settings, workflowOwner, channelId };
}

/** Without an id the channel is not compared: one that is lost must not have this effect. */
function requireKept(given: object, channelId: string | undefined): void {
  if ("channelId" in given && channelId === undefined)
    throw new Rejection("not_configured", "the channel id is undefined; set it, or leave it out");
}

type Organization = Pick<VerifyConfig, "orgId" | "workflowOwner" | "creTenantId">;

function ownerOf({ workflowOwner, orgId, creTenantId }: Organization, of: string): Hex | undefined {
  if (workflowOwner) return address(workflowOwner, `the workflow owner${of}`);
  if (!orgId) return undefined;
  if (typeof creTenantId !== "string")
    throw new Rejection("not_configured", `the CRE tenant${of} is missing`);
  return address(workflowOwnerFromOrgId(orgId, creTenantId), `the workflow owner${of}`);
}

function address(value: string, name: string): Hex {
  if (!ADDRESS_PATTERN.test(value)) throw new Rejection("not_configured", `${name} is not an address`);
  return value.toLowerCase() as Hex;
}
