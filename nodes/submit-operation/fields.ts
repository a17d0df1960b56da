import { OPERATION_PROGRESS } from "../../src/protocol/statuses.ts";
import {
  COMMON,
  describeNode,
  folded,
  type HiddenField,
  type SettingsOf,
  stored,
} from "../lib/shared/fields.ts";
import type { CallDef } from "../lib/shared/form-types.ts";
import { RESUME_FIELD, timeoutField } from "../lib/shared/wait-fields.ts";
import { MAX_CALLS } from "./call-limit.ts";

/** Of each call, its contract: Node-RED exports, imports and counts users of a config node by fields of the node only. */
export const CONTRACT_FIELDS = Array.from(
  { length: MAX_CALLS },
  (_, index) => `contract${index + 1}` as const,
);

const ONCE_FOR = ["event", "key", "message"] as const;
export type OnceFor = (typeof ONCE_FOR)[number];

const contract: HiddenField<string> = { kind: "hidden", default: "", type: "crec-contract" };

export const NODE = describeNode({
  type: "crec-submit-operation",
  version: 2,
  icon: "submit-operation.svg",
  acts: true,
  outputs: ["reached", "status"],
  fields: {
    name: COMMON.name,
    channel: { ...COMMON.channel, override: "channelId" },
    wallet: { kind: "config", type: "crec-wallet", required: true, icon: "credit-card" },
    calls: stored<CallDef[]>({ default: [], shown: { source: "form" } }),
    preview: { kind: "button", icon: "eye", result: true },
    /** `send`: signed here and executed. `draft`: finalized or cancelled by the node operation. */
    mode: {
      kind: "select",
      icon: "pencil-square-o",
      options: ["send", "draft"],
      default: "send",
      explained: true,
    },
    waitFor: {
      kind: "select",
      icon: "flag-checkered",
      options: OPERATION_PROGRESS,
      default: "confirmed_latest",
      explained: true,
      shown: { mode: "send" },
    },
    reliability: folded("reliability"),
    /** Which messages are the same operation, so that it is executed once. */
    onceFor: { kind: "select", icon: "clone", options: ONCE_FOR, default: "event", explained: true },
    /** Minutes until the operation may no longer be executed; 0 for no deadline. */
    deadline: { kind: "number", icon: "hourglass-half", unit: true, default: "15", least: 0, hint: true },
    /** Messages of one wallet are sent in the order in which they arrive. */
    keepOrder: { kind: "boolean", default: true, hint: true, shown: { mode: "send" } },
    timeout: { ...timeoutField(300), hint: true, shown: { mode: "send" } },
    resume: { ...RESUME_FIELD, shown: { mode: "send" } },
    /** Sends later statuses to the second output after the message was sent to the first one. */
    follow: { kind: "boolean", default: true, hint: true, shown: { mode: "send" } },
    /** What copies of the flow share, so that all of them ask for the same signature. */
    fleet: {
      kind: "config",
      type: "crec-fleet",
      required: false,
      icon: "clone",
      hint: true,
      shown: { mode: "send" },
    },
    advanced: folded("advanced"),
    source: { kind: "select", icon: "list", options: ["form", "message"], default: "form" },
    /** A list of raw transactions. */
    transactions: {
      kind: "typed",
      icon: "list-ol",
      types: ["msg", "flow", "global", "jsonata", "json"],
      default: "payload",
      required: true,
      shown: { source: "message" },
    },
    /** Of tokens and the coin, which would be lost, or not move. */
    allowUnusual: { kind: "boolean", default: false, hint: true },
    allowTest: COMMON.allowTest,
    ...Object.fromEntries(CONTRACT_FIELDS.map((name) => [name, contract])),
  },
  migrations: {
    // Flows may count on their pace.
    1: (stored) => ({ keepOrder: false, ...stored }),
  },
});

export type SubmitOperationDef = SettingsOf<typeof NODE> & {
  [contract: (typeof CONTRACT_FIELDS)[number]]: string | undefined;
};
