import { COMMON, folded } from "../common/shared/common-fields.ts";
import { describeNode, type SettingsOf, stored } from "../common/shared/fields.ts";
import type { ConditionDef } from "../common/shared/stored-values.ts";
import { isDuration, isSomeTime } from "../common/shared/times.ts";

const WHEN = ["each", "count", "sum", "rate", "absence"] as const;
const FOR_EACH = ["", "contract", "field", "expression"] as const;
const SEVERITIES = ["info", "warning", "critical"] as const;
export type Severity = (typeof SEVERITIES)[number];

const AMOUNT = /^-?\d+(?:\.\d+)?$/;
const duration = {
  kind: "text",
  width: "120px",
  check: isSomeTime,
  error: "alert.error.duration",
  unit: "alert.unit.duration",
} as const;

export const NODE = describeNode({
  type: "crec-alert",
  version: 2,
  icon: "alert.svg",
  inputs: 1,
  /** `resolved`: recovered, taken back or not confirmed. `passed`: all other messages. */
  outputs: ["alert", "resolved", "passed"],
  fields: {
    name: COMMON.name,
    /** Its ABI gives the fields to choose from, and its decimals the amounts in tokens. */
    contract: { ...COMMON.contract, label: "common.label.names-from", preselect: true },
    match: { kind: "select", icon: "filter", options: ["all", "any"], default: "all" },
    conditions: stored<ConditionDef[]>({ default: [], label: false }),
    when: { kind: "select", icon: "bell-o", options: WHEN, default: "each", explained: true },
    times: {
      kind: "number",
      icon: "hashtag",
      default: "3",
      least: 1,
      most: 10_000,
      whole: true,
      shown: { when: "count" },
    },
    sumFrom: {
      kind: "select",
      icon: "plus",
      options: ["field", "expression"],
      default: "field",
      shown: { when: "sum" },
    },
    sumField: {
      kind: "text",
      icon: "plus",
      default: "params.value",
      placeholder: { text: "params.value" },
      shown: { when: "sum", sumFrom: "field" },
    },
    /** A whole number, in the smallest unit: may be negative, such as what leaves less what comes in. */
    sumValue: {
      kind: "typed",
      icon: "code",
      types: ["msg", "jsonata"],
      required: true,
      hint: true,
      shown: { when: "sum", sumFrom: "expression" },
    },
    limitIs: {
      kind: "select",
      icon: "arrows-v",
      options: ["atLeast", "atMost"],
      default: "atLeast",
      shown: { when: "sum" },
    },
    limit: {
      kind: "text",
      icon: "tachometer",
      width: "120px",
      required: true,
      check: (text) => AMOUNT.test(text),
      shown: { when: "sum" },
    },
    limitUnit: {
      kind: "select",
      icon: "balance-scale",
      options: ["token", "smallest"],
      default: "token",
      shown: { when: "sum" },
    },
    factor: {
      kind: "number",
      icon: "times",
      default: "3",
      least: 1,
      unit: true,
      shown: { when: "rate" },
    },
    least: {
      kind: "number",
      icon: "hashtag",
      default: "5",
      least: 1,
      most: 10_000,
      whole: true,
      unit: true,
      shown: { when: "rate" },
    },
    within: {
      ...duration,
      icon: "clock-o",
      default: "10m",
      placeholder: { text: "10m" },
      shown: { when: ["count", "sum", "rate"] },
    },
    compared: {
      ...duration,
      icon: "history",
      default: "24h",
      placeholder: { text: "24h" },
      shown: { when: "rate" },
    },
    absentFor: {
      ...duration,
      icon: "clock-o",
      default: "1h",
      placeholder: { text: "1h" },
      shown: { when: "absence" },
    },
    /** Empty: each alert is sent. Other times that are empty are the default, as in a flow that leaves them out. */
    quiet: { ...duration, check: isDuration, icon: "bell-slash-o", placeholder: true, hint: true },
    /** The rule in one sentence, as the form is filled in. */
    summary: { kind: "custom", label: false, role: "status" },
    grouping: { kind: "section", folded: true },
    forEach: { kind: "select", icon: "tags", options: FOR_EACH, default: "", explained: true },
    forEachField: {
      kind: "text",
      icon: "tag",
      placeholder: { text: "params.to" },
      required: true,
      shown: { forEach: "field" },
    },
    forEachValue: {
      kind: "typed",
      icon: "code",
      types: ["msg", "jsonata"],
      required: true,
      shown: { forEach: "expression" },
    },
    /** Where the end is reported, the quiet time ends with a reminder anyway. */
    summarizes: { kind: "boolean", default: true, hint: true, shown: { recovers: false } },
    recovers: { kind: "boolean", default: false, hint: true },
    /** What ends an alert of each event: an event that does not match, or one that fits other conditions. */
    endsWhen: {
      kind: "select",
      icon: "flag-checkered",
      options: ["opposite", "conditions"],
      default: "opposite",
      explained: true,
      shown: { recovers: true, when: "each" },
    },
    endMatch: {
      kind: "select",
      icon: "filter",
      options: ["all", "any"],
      default: "all",
      shown: { recovers: true, when: "each", endsWhen: "conditions" },
    },
    endConditions: stored<ConditionDef[]>({
      default: [],
      label: false,
      shown: { recovers: true, when: "each", endsWhen: "conditions" },
    }),
    message: { kind: "section", folded: true },
    severity: { kind: "select", icon: "exclamation-triangle", options: SEVERITIES, default: "warning" },
    /** `{{field}}` stands for a field. Empty: a sentence made from the conditions. */
    title: { kind: "text", icon: "header", placeholder: true },
    text: { kind: "text", icon: "comment-o", lines: 3, placeholder: true, hint: true },
    /** What a person would read, with the names of the fields in place of their values. */
    preview: { kind: "custom", label: false, role: "status" },
    reliability: folded("reliability"),
    /** An absence counts only while this channel is read up to the present. Its networks state their levels. */
    channel: { ...COMMON.channel, required: false, preselect: true, hint: true },
    /** Whether an alert on a block that is not final is taken back, or reported as not confirmed. */
    takenBack: { kind: "boolean", default: true, hint: true },
    confirmWithin: {
      ...duration,
      icon: "hourglass-half",
      default: "1h",
      placeholder: { text: "1h" },
      shown: { takenBack: true },
    },
    slack: {
      ...duration,
      icon: "history",
      default: "2m",
      placeholder: { text: "2m" },
      check: isDuration,
      hint: true,
    },
    maxKeys: {
      kind: "number",
      icon: "tags",
      default: "10000",
      least: 1,
      most: 100_000,
      whole: true,
      hint: true,
    },
    fleet: { kind: "config", type: "crec-fleet", required: false, icon: "clone", hint: true },
    /** A message without an event, such as a recovery, is sent again until an ack event node receives it. */
    untilAcked: { kind: "boolean", default: false, hint: true },
    allowTest: { ...COMMON.allowTest, hint: true },
  },
  migrations: {
    // Flows may count on a message for each event.
    1: (stored) => ({ summarizes: false, ...stored }),
  },
});

export type AlertDef = SettingsOf<typeof NODE>;
