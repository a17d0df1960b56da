import { COMMON, folded } from "../common/shared/common-fields.ts";
import { isAddress } from "../common/shared/field-checks.ts";
import { describeNode, type SettingsOf } from "../common/shared/fields.ts";

/** One token of 77 decimals, 10^77 units, is the largest that a `uint256` can hold. */
const MOST_DECIMALS = 77;

/** Whether a text is a number of decimal places. */
export function isDecimals(text: string): boolean {
  return /^\d{1,2}$/.test(text) && Number(text) <= MOST_DECIMALS;
}

export const NODE = describeNode({
  type: "crec-contract",
  version: 1,
  fields: {
    name: COMMON.name,
    /** Only for the form, which lists the networks of its service. */
    connection: { ...COMMON.connection, required: false, preselect: true },
    chainSelector: COMMON.network,
    address: {
      kind: "text",
      icon: "map-marker",
      label: "common.label.address",
      placeholder: { text: "0x…" },
      required: true,
      check: isAddress,
      error: "common.error.address",
      lookup: { list: "addresses", by: "connection" },
    },
    standards: { kind: "custom", label: "contract.label.standards", role: "group", icon: "magic" },
    /** JSON, or human-readable text with one item a line. */
    abi: { kind: "text", icon: "list", lines: 3, monospace: true, placeholder: true, required: true },
    /** Of a token: how many decimal places its amounts have. Text, since it may be the name of a variable. */
    decimals: { kind: "text", icon: "dot-circle-o", placeholder: true, hint: true, check: isDecimals },
    read: { kind: "button", icon: "download", result: true },
    advanced: folded("advanced"),
    /** The parameters that decimals apply to, where their names are not the usual ones. */
    amounts: { kind: "text", icon: "balance-scale", placeholder: true, hint: true },
  },
});

export type ContractDef = SettingsOf<typeof NODE>;
