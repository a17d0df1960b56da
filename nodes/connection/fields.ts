import { PUBLIC_BASE_URL, PUBLIC_GRAPHQL_URL } from "../../src/protocol/limits.ts";
import { PUBLIC_VERIFICATION } from "../../src/protocol/signers.ts";
import { COMMON, folded } from "../common/shared/common-fields.ts";
import { isAddress, isWebAddress } from "../common/shared/field-checks.ts";
import { describeNode, type SettingsOf, stored } from "../common/shared/fields.ts";
import type { FamilyDef } from "../common/shared/stored-values.ts";
import { isDay } from "../common/shared/times.ts";
import { areSigners, isThreshold } from "./signer-set.ts";

export const NODE = describeNode({
  type: "crec-connection",
  version: 1,
  fields: {
    name: COMMON.name,
    presets: { kind: "custom", label: "connection.label.presets", role: "group" },
    baseUrl: {
      kind: "text",
      icon: "globe",
      default: PUBLIC_BASE_URL,
      placeholder: { text: "https://host/v1" },
      hint: true,
      required: true,
      check: isWebAddress,
    },
    apiKey: { kind: "credential", icon: "key", hint: true },
    test: { kind: "button", icon: "plug", result: true },
    verification: folded("verification"),
    verificationSource: { kind: "note" },
    orgId: { kind: "text", placeholder: { text: "org_…" }, hint: true },
    creTenantId: { kind: "text", default: PUBLIC_VERIFICATION.creTenantId, width: "160px", hint: true },
    workflowOwner: {
      kind: "text",
      placeholder: true,
      hint: true,
      check: isAddress,
      error: "common.error.address",
    },
    /** Addresses, separated by commas, spaces or new lines. */
    validSigners: {
      kind: "text",
      default: PUBLIC_VERIFICATION.validSigners.join("\n"),
      lines: 5,
      monospace: true,
      placeholder: { text: "0x…" },
      hint: true,
      check: areSigners,
    },
    /** Not a number field: where it is empty, no default may take its place, since that could accept too little. */
    minRequiredSignatures: {
      kind: "text",
      default: String(PUBLIC_VERIFICATION.minRequiredSignatures),
      width: "160px",
      hint: true,
      check: isThreshold,
    },
    advanced: folded("advanced"),
    /** Empty where it is not known. */
    keyEnds: {
      kind: "text",
      icon: "calendar",
      width: "160px",
      placeholder: { text: "2027-03-31" },
      hint: true,
      check: isDay,
    },
    graphqlUrl: {
      kind: "text",
      icon: "user-circle",
      default: PUBLIC_GRAPHQL_URL,
      placeholder: { text: "https://host/graphql" },
      hint: true,
      check: isWebAddress,
    },
    tls: { kind: "config", type: "tls-config", required: false, icon: "lock", hint: true },
    proxy: { kind: "config", type: "http proxy", required: false, icon: "random", hint: true },
    /** Of one call with its retries. */
    timeout: {
      kind: "number",
      icon: "clock-o",
      default: "30",
      least: 0.1,
      unit: "common.label.seconds",
      hint: true,
      error: "common.error.seconds",
    },
    /** Empty: no limit. */
    requestsPerMinute: {
      kind: "number",
      icon: "tachometer",
      unit: true,
      default: "",
      least: 1,
      whole: true,
      hint: true,
    },
    otherFamilies: { kind: "section", folded: true },
    familiesUse: { kind: "note" },
    /** Signer sets of oracle families that sign with other keys. */
    families: stored<FamilyDef[]>({ default: [], label: false }),
  },
});

/** What proofs are checked against. */
export const VERIFICATION_FIELDS = [
  "orgId",
  "creTenantId",
  "workflowOwner",
  "validSigners",
  "minRequiredSignatures",
] as const satisfies ReadonlyArray<keyof typeof NODE.fields>;

export type ConnectionDef = SettingsOf<typeof NODE>;
