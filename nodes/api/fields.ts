import { COMMON, JSON_TYPES } from "../common/shared/common-fields.ts";
import type { FieldCheck } from "../common/shared/field-checks.ts";
import { describeNode, type SettingsOf } from "../common/shared/fields.ts";

/** With ".." a path could leave the connection's base URL. */
export const isPath: FieldCheck = (text) =>
  text.startsWith("/") && !text.split(/[?#]/, 1)[0]?.split("/").includes("..");

export const NODE = describeNode({
  type: "crec-api",
  version: 1,
  icon: "api.svg",
  acts: true,
  inputs: 1,
  outputs: ["response"],
  fields: {
    name: COMMON.name,
    connection: COMMON.connection,
    method: {
      kind: "select",
      icon: "exchange",
      options: ["GET", "POST", "PATCH", "PUT", "DELETE"],
      default: "GET",
      literal: true,
      width: "120px",
    },
    path: { kind: "typed", icon: "road", default: "/networks", required: true, check: isPath },
    /** An object. A list in it repeats its name. */
    query: { kind: "typed", icon: "filter", types: JSON_TYPES, default: "{}", error: "api.error.query" },
    body: {
      kind: "typed",
      icon: "file-text-o",
      types: JSON_TYPES,
      default: "{}",
      shown: { method: ["POST", "PATCH", "PUT", "DELETE"] },
    },
    allowTest: { ...COMMON.allowTest, shown: { method: ["POST", "PATCH", "PUT", "DELETE"] } },
  },
});

export type ApiDef = SettingsOf<typeof NODE>;
