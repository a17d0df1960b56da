import { OPERATION_PROGRESS, OPERATION_STATUSES } from "../../src/protocol/statuses.ts";
import { COMMON, RESUME_FIELD, timeoutField } from "../common/shared/common-fields.ts";
import { describeNode, type SettingsOf } from "../common/shared/fields.ts";

/** By default from the message, as submit operation sends it. */
const FROM_MESSAGE = ["msg", "str", "flow", "global", "env", "jsonata"] as const;

export const NODE = describeNode({
  type: "crec-operation",
  version: 1,
  icon: "operation.svg",
  acts: true,
  fields: {
    name: COMMON.name,
    channel: { ...COMMON.channel, override: "channelId" },
    action: {
      kind: "select",
      icon: "cogs",
      options: ["get", "list", "finalize", "cancel", "wait"],
      default: "get",
      explained: true,
    },
    /** A submit operation node, whose newest draft is taken in place of an id. */
    newest: {
      kind: "custom",
      label: "operation.label.newest",
      icon: "magic",
      shown: { action: ["get", "cancel"] },
    },
    /** Chosen there. */
    draftOf: { kind: "hidden", default: "", type: "crec-submit-operation" },
    /** The operation's id. */
    operation: {
      kind: "typed",
      icon: "search",
      types: FROM_MESSAGE,
      default: "crec.operationId",
      required: true,
      shown: { action: ["get", "finalize", "cancel", "wait"] },
    },
    /** Signs a draft that is finalized. */
    signer: {
      kind: "config",
      type: "crec-signer",
      icon: "key",
      required: true,
      shown: { action: "finalize" },
    },
    /** Of what was approved, so that nothing else is signed; empty signs whatever the draft holds. */
    digest: {
      kind: "typed",
      icon: "check-square-o",
      types: FROM_MESSAGE,
      default: "crec.digest",
      hint: true,
      shown: { action: "finalize" },
    },
    /** Statuses to list; all where none is ticked. */
    statuses: {
      kind: "list",
      icon: "filter",
      options: OPERATION_STATUSES,
      areStatuses: true,
      shown: { action: "list" },
    },
    limit: {
      kind: "number",
      icon: "list-ol",
      unit: true,
      default: "100",
      least: 1,
      whole: true,
      shown: { action: "list" },
    },
    /** Empty for the action's default. */
    waitFor: {
      kind: "select",
      icon: "flag-checkered",
      options: ["", ...OPERATION_PROGRESS],
      default: "",
      shown: { action: ["finalize", "wait"] },
    },
    /** For a cancelling, how long it is tried again without an answer. */
    timeout: { ...timeoutField(300), shown: { action: ["finalize", "cancel", "wait"] } },
    resume: { ...RESUME_FIELD, shown: { action: ["finalize", "wait"] } },
    allowTest: { ...COMMON.allowTest, shown: { action: ["finalize", "cancel"] } },
  },
});

export type OperationDef = SettingsOf<typeof NODE>;
