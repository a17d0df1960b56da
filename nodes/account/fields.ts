import { COMMON, JSON_TYPES } from "../common/shared/common-fields.ts";
import { describeNode, type SettingsOf } from "../common/shared/fields.ts";

export const NODE = describeNode({
  type: "crec-account",
  version: 1,
  icon: "account.svg",
  inputs: 1,
  outputs: ["response"],
  fields: {
    name: COMMON.name,
    connection: COMMON.connection,
    /** `details`: the account that the key belongs to. */
    action: { kind: "select", icon: "cogs", options: ["details", "query"], default: "details" },
    /** A GraphQL document. */
    query: {
      kind: "typed",
      icon: "file-code-o",
      default: "query {\n  getAccountDetails { memberId displayName emailAddress }\n}",
      lines: 7,
      required: true,
      shown: { action: "query" },
    },
    /** An object, or its JSON. */
    variables: {
      kind: "typed",
      icon: "list",
      types: JSON_TYPES,
      default: "{}",
      shown: { action: "query" },
    },
    /** The operation to run, for a document with several. */
    operationName: { kind: "text", icon: "crosshairs", placeholder: true, shown: { action: "query" } },
  },
});

export type AccountDef = SettingsOf<typeof NODE>;
