import * as ChecksumAddress from "ox/Address";
import { ADDRESS_PATTERN, type Address, type Hex } from "../protocol/index.ts";
import { Rejection } from "./reasons.ts";
import type { VerifyConfig, VerifyOptions } from "./verify.ts";
import { workflowOwnerFromOrgId } from "./workflow-owner.ts";

/** A configuration, checked, in the form that the checks of a proof want. */
export type Settings = {
  /** Lower case to checksummed. */
  signers: Map<string, Address>;
  threshold: number;
  creTenantId: string | null;
  /** Missing where each call has to name the organization. */
  workflowOwner: Hex | undefined;
  channelId: string | undefined;
};

/** The same for one call. */
export type CallSettings = Settings & { workflowOwner: Hex };

/** @throws {Rejection} `not_configured` when no proof could ever hold. */
export function prepare(config: VerifyConfig): Settings {
  const { validSigners, minRequiredSignatures: threshold, creTenantId = null, channelId } = config;
  const signers = new Map<string, Address>();
  for (const signer of validSigners)
    signers.set(address(signer, "a signer"), ChecksumAddress.checksum(signer));
  if (signers.size === 0) throw new Rejection("not_configured", "there are no signers");
  if (!Number.isInteger(threshold) || threshold < 1 || threshold > signers.size) {
    throw new Rejection("not_configured", `the threshold must be from 1 to ${signers.size}`);
  }
  return { signers, threshold, creTenantId, workflowOwner: ownerOf(config), channelId };
}

/**
 * What the call says goes before the configuration. Once it names an organization, even an empty one,
 * that of the configuration is out: a lost id must not end with another's events taken for theirs.
 * @throws {Rejection} `not_configured` when neither of them names an organization.
 */
export function forCall(settings: Settings, options: VerifyOptions): CallSettings {
  const namesOwner = "orgId" in options || "workflowOwner" in options;
  const workflowOwner = namesOwner
    ? ownerOf({ ...options, creTenantId: settings.creTenantId })
    : settings.workflowOwner;
  if (workflowOwner === undefined) {
    throw new Rejection("not_configured", "neither organization id nor workflow owner");
  }
  return { ...settings, workflowOwner, channelId: options.channelId ?? settings.channelId };
}

type Organization = Pick<VerifyConfig, "orgId" | "workflowOwner" | "creTenantId">;

function ownerOf({ workflowOwner, orgId, creTenantId }: Organization): Hex | undefined {
  if (workflowOwner) return address(workflowOwner, "the workflow owner");
  if (!orgId) return undefined;
  if (typeof creTenantId !== "string") throw new Rejection("not_configured", "the CRE tenant is missing");
  return address(workflowOwnerFromOrgId(orgId, creTenantId), "the workflow owner");
}

function address(value: string, name: string): Hex {
  if (!ADDRESS_PATTERN.test(value)) throw new Rejection("not_configured", `${name} is not an address`);
  return value.toLowerCase() as Hex;
}
