import { COMMON } from "../common/shared/common-fields.ts";
import { describeNode, type SettingsOf } from "../common/shared/fields.ts";

export const NODE = describeNode({
  type: "crec-ack",
  version: 1,
  icon: "ack.svg",
  inputs: 1,
  outputs: ["settled", "moved"],
  fields: {
    name: COMMON.name,
    /** `ack`: the event is done. `retry`: sent again after the delay. `reject`: to the rejected output, then done. */
    action: { kind: "select", icon: "check", options: ["ack", "retry", "reject"], default: "ack" },
    /** Empty: longer with each attempt. */
    delay: {
      kind: "number",
      icon: "clock-o",
      unit: "common.label.seconds",
      default: "10",
      least: 0,
      optional: true,
      hint: true,
      error: "common.error.seconds",
      shown: { action: "retry" },
    },
    reason: { kind: "typed", icon: "comment-o", shown: { action: "reject" } },
  },
});

export type AckDef = SettingsOf<typeof NODE>;
