import { CONFIDENCES } from "../../src/protocol/index.ts";
import { COMMON, folded } from "../common/shared/common-fields.ts";
import { describeNode, type SettingsOf } from "../common/shared/fields.ts";

export const NODE = describeNode({
  type: "crec-verify-event",
  version: 1,
  icon: "verify-event.svg",
  inputs: 1,
  outputs: ["verified", "rejected", "notices"],
  fields: {
    name: COMMON.name,
    connection: COMMON.connection,
    event: {
      kind: "typed",
      icon: "envelope-o",
      types: ["msg", "flow", "global", "jsonata"],
      default: "crec.event",
    },
    /** Names the parameters as in its ABI. */
    contract: { ...COMMON.contract, label: "common.label.names-from", hint: true },
    expectContract: { kind: "boolean", default: false },
    /** Names or signatures. */
    expectEvents: {
      kind: "typed",
      icon: "bolt",
      list: true,
      placeholder: true,
      hint: true,
    },
    minConfidence: { kind: "select", icon: "shield", options: ["", ...CONFIDENCES], default: "", hint: true },
    reliability: folded("reliability"),
    firstTimeOnly: { kind: "boolean", default: false, hint: true },
    /** How many keys of events are remembered. */
    remember: {
      kind: "number",
      icon: "history",
      unit: true,
      default: "10000",
      least: 1,
      most: 100_000,
      whole: true,
      shown: { firstTimeOnly: true },
    },
    /** Where all copies of the flow remember them together. */
    fleet: {
      kind: "config",
      type: "crec-fleet",
      required: false,
      icon: "clone",
      hint: true,
      shown: { firstTimeOnly: true },
    },
    /** For how long they do. */
    rememberDays: {
      kind: "number",
      icon: "calendar",
      unit: true,
      default: "30",
      least: 0.01,
      most: 3650,
      shown: { firstTimeOnly: true },
    },
    advanced: folded("advanced"),
    /** The answer to a query must be from this channel. */
    channel: { ...COMMON.channel, required: false, hint: true },
    /** The accepted signer set: any of the connection, the default set, or that of one family. */
    signedBy: { kind: "select", icon: "users", options: ["", "default", "family"], default: "", hint: true },
    expectFamily: { kind: "text", required: true, shown: { signedBy: "family" } },
    acceptWatchers: COMMON.acceptWatchers,
    /** Seconds. Empty: any age. */
    maxAge: { kind: "number", icon: "clock-o", unit: true, hint: true, default: "", least: 1 },
  },
});

export type VerifyEventDef = SettingsOf<typeof NODE>;
