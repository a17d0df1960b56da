import { LIMITS } from "../../src/protocol/limits.ts";
import { OPERATION_PROGRESS } from "../../src/protocol/statuses.ts";
import { COMMON, folded, RESUME_FIELD, timeoutField } from "../common/shared/common-fields.ts";
import { describeNode, type HiddenField, type SettingsOf, stored } from "../common/shared/fields.ts";
import type { CallDef } from "../common/shared/stored-values.ts";

/** How many calls the service accepts in one operation. */
export const MAX_CALLS = LIMITS.transactionsPerOperation;

/** The error about too many calls; `undefined` if an operation can hold them. */
export function callCountProblem(count: number): string | undefined {
  if (count <= MAX_CALLS) return undefined;
  return `An operation holds at most ${MAX_CALLS} calls, not ${count}. Split it.`;
}

/** Of each call, its contract: Node-RED exports, imports and counts users of a config node by fields of the node only. */
export const CONTRACT_FIELDS = Array.from(
  { length: MAX_CALLS },
  (_, index) => `contract${index + 1}` as const,
);

const ONCE_FOR = ["event", "key", "message"] as const;
export type OnceFor = (typeof ONCE_FOR)[number];

const contract: HiddenField<string> = { kind: "hidden", default: "", type: "crec-contract" };

/** Of what the node follows to its end. */
const FOLLOWED = [{ mode: "send" }, { mode: "draft", approve: true }] as const;

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
    /** `send`: signed here and executed. `draft`: approved or cancelled by people, or the node operation. */
    mode: {
      kind: "select",
      icon: "pencil-square-o",
      options: ["send", "draft"],
      default: "send",
      explained: true,
    },
    /** People approve a draft in the sidebar; each decision leaves by the second output. */
    approve: { kind: "boolean", default: false, hint: true, shown: { mode: "draft" } },
    /** Signs what they approve. The wallet's own signer is not asked for a draft. */
    approvalSigner: {
      kind: "config",
      type: "crec-signer",
      required: true,
      icon: "key",
      shown: { mode: "draft", approve: true },
    },
    /** By so many different users of the editor. */
    approvals: {
      kind: "number",
      icon: "users",
      unit: true,
      default: "1",
      least: 1,
      most: 5,
      whole: true,
      shown: { mode: "draft", approve: true },
    },
    waitFor: {
      kind: "select",
      icon: "flag-checkered",
      options: OPERATION_PROGRESS,
      default: "confirmed_latest",
      explained: true,
      shown: FOLLOWED,
    },
    reliability: folded("reliability"),
    /** Which messages are the same operation, so that it is executed once. */
    onceFor: { kind: "select", icon: "clone", options: ONCE_FOR, default: "event", explained: true },
    /** Minutes until the operation may no longer be executed; 0 for no deadline. */
    deadline: { kind: "number", icon: "hourglass-half", unit: true, default: "15", least: 0, hint: true },
    /** Messages of one wallet are sent in the order in which they arrive. */
    keepOrder: { kind: "boolean", default: true, hint: true, shown: { mode: "send" } },
    timeout: { ...timeoutField(300), hint: true, shown: FOLLOWED },
    resume: { ...RESUME_FIELD, shown: { mode: "send" } },
    /** Sends later statuses to the second output after the message was sent to the first one. */
    follow: { kind: "boolean", default: true, hint: true, shown: FOLLOWED },
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
