import * as ChecksumAddress from "ox/Address";
import { ADDRESS_PATTERN, type Address, type Hex } from "../protocol/index.ts";
import { Rejection } from "./reasons.ts";
import { workflowOwnerFromOrgId } from "./report.ts";
import type { SignerSet, VerifyConfig, VerifyOptions } from "./verify-types.ts";

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
