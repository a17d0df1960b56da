import { COMMON, folded, RESUME_FIELD, timeoutField } from "../common/shared/common-fields.ts";
import { isAddress, isBytes, isDigits } from "../common/shared/field-checks.ts";
import { describeNode, type SettingsOf, stored } from "../common/shared/fields.ts";
import type { ContractCall } from "../common/shared/stored-values.ts";

export const NODE = describeNode({
  type: "crec-run-query",
  version: 1,
  icon: "run-query.svg",
  inputs: 1,
  outputs: ["result", "status"],
  fields: {
    name: COMMON.name,
    channel: { ...COMMON.channel, override: "channelId" },
    kind: { kind: "select", icon: "list", options: ["contract", "raw"], default: "contract" },
    contract: { ...COMMON.contract, preselect: true, shown: { kind: "contract" } },
    /** The function, with one value for each parameter. */
    call: stored<ContractCall>({ default: {}, shown: { kind: "contract" } }),
    /** `token`: integers of the result by the contract's decimals, as `1.5`. */
    resultUnit: {
      kind: "select",
      icon: "balance-scale",
      options: ["", "token"],
      default: "",
      shown: { kind: "contract" },
    },
    chainSelector: {
      kind: "typed",
      icon: "link",
      label: "common.label.network",
      required: true,
      check: isDigits,
      lookup: { list: "networks", by: "channel.connection", unknown: "run-query.hint.unknownNetwork" },
      shown: { kind: "raw" },
    },
    to: {
      kind: "typed",
      icon: "map-marker",
      required: true,
      check: isAddress,
      lookup: { list: "addresses", by: "channel" },
      shown: { kind: "raw" },
    },
    data: { kind: "typed", icon: "code", default: "0x", check: isBytes, shown: { kind: "raw" } },
    block: {
      kind: "select",
      icon: "cube",
      options: ["latest", "finalized", "block_number"],
      default: "latest",
      explained: true,
    },
    blockNumber: {
      kind: "typed",
      icon: "hashtag",
      required: true,
      check: isDigits,
      shown: { block: "block_number" },
    },
    advanced: folded("advanced"),
    /** Seconds. Empty: any age. A chosen block number is meant to be as old as it is. */
    maxAge: {
      kind: "number",
      icon: "clock-o",
      unit: true,
      hint: true,
      default: "",
      least: 1,
      shown: { block: ["latest", "finalized"] },
    },
    /** The caller that the contract sees. */
    from: {
      kind: "typed",
      icon: "user",
      hint: true,
      check: isAddress,
      error: "common.error.address",
      lookup: { list: "addresses", by: "channel" },
    },
    timeout: timeoutField(60),
    resume: RESUME_FIELD,
    verify: { kind: "boolean", default: true },
  },
});

export type RunQueryDef = SettingsOf<typeof NODE>;
