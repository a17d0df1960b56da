import { COMMON, CONFIDENCE_OPTIONS, folded, LIST_TYPES } from "../common/shared/common-fields.ts";
import { type FieldCheck, isAddress, isDigits } from "../common/shared/field-checks.ts";
import { describeNode, type SettingsOf } from "../common/shared/fields.ts";
import { isTime } from "../common/shared/times.ts";

const START_VALUE: FieldCheck = (text, other) =>
  other("start") === "time"
    ? isTime(text) || "events-in.error.time"
    : isDigits(text, other) || "events-in.error.offset";

/** Events are acknowledged by the flow, and not when they are sent. */
const BY_FLOW = { commit: ["on-complete", "on-ack"] };

export const NODE = describeNode({
  type: "crec-events-in",
  version: 1,
  icon: "events-in.svg",
  inputs: 0,
  outputs: ["events", "rejected", "notices"],
  fields: {
    name: COMMON.name,
    channel: COMMON.channel,
    /** Only its events, with parameters by its ABI. */
    contract: { ...COMMON.contract, hint: true },
    /** Names or signatures. */
    contractEvent: { kind: "typed", icon: "bolt", types: LIST_TYPES, list: true, placeholder: true },
    confidence: { kind: "select", icon: "shield", options: CONFIDENCE_OPTIONS, default: "", explained: true },
    start: {
      kind: "select",
      icon: "step-forward",
      options: ["now", "beginning", "offset", "time"],
      default: "now",
    },
    startValue: {
      kind: "text",
      icon: "map-pin",
      placeholder: true,
      required: true,
      check: START_VALUE,
      shown: { start: ["offset", "time"] },
    },
    /** What the node sends, in one sentence. */
    summary: { kind: "custom", label: false, role: "status" },
    filters: folded("filters"),
    types: { ...COMMON.types, usual: "watcher.event" },
    watcher: {
      kind: "typed",
      icon: "eye",
      types: LIST_TYPES,
      list: true,
      placeholder: true,
      lookup: { list: "watcher-ids", by: "channel" },
    },
    address: {
      kind: "typed",
      icon: "map-marker",
      label: "common.label.address",
      types: LIST_TYPES,
      list: true,
      placeholder: true,
      check: isAddress,
      error: "common.error.address",
      lookup: { list: "addresses", by: "channel" },
    },
    verification: folded("verification"),
    verify: { kind: "boolean", default: true },
    acceptWatchers: { ...COMMON.acceptWatchers, shown: { verify: true } },
    unverified: {
      kind: "select",
      icon: "ban",
      options: ["port", "drop"],
      default: "port",
      shown: { verify: true },
    },
    reliability: folded("reliability"),
    /** When an event is acknowledged, and the cursor moves past it. */
    commit: {
      kind: "select",
      icon: "check-square-o",
      options: ["on-send", "on-complete", "on-ack"],
      default: "on-send",
      explained: true,
    },
    ackTimeout: {
      kind: "number",
      icon: "hourglass-half",
      unit: "common.label.seconds",
      default: "60",
      least: 0.1,
      error: "common.error.seconds",
      shown: BY_FLOW,
    },
    /** On send: how many messages may be in the flow at the same time. */
    unfinished: {
      kind: "number",
      icon: "tasks",
      unit: true,
      default: "100",
      least: 1,
      whole: true,
      shown: { commit: "on-send" },
    },
    inFlight: {
      kind: "number",
      icon: "tasks",
      unit: true,
      default: "1",
      least: 1,
      whole: true,
      shown: BY_FLOW,
    },
    /** Empty: without limit. */
    attempts: {
      kind: "number",
      icon: "repeat",
      unit: true,
      default: "",
      least: 1,
      whole: true,
      shown: BY_FLOW,
    },
    ackRejected: { kind: "boolean", default: false, shown: BY_FLOW },
    /** How often Node-RED may crash while an event is in the flow before the event is rejected. 0: never rejected. */
    crashes: { kind: "number", icon: "bomb", unit: true, default: "", least: 0, whole: true },
    /** Seconds. Empty: delivers events of any age. */
    skipOlder: {
      kind: "number",
      icon: "fast-forward",
      unit: true,
      default: "",
      least: 1,
      error: "common.error.seconds",
    },
    /** Seconds by which an event may become visible later than others. Empty: the library's default. */
    lateWithin: {
      kind: "number",
      icon: "history",
      unit: true,
      default: "",
      least: 0,
      error: "common.error.seconds",
    },
    /** Of several copies of the flow one reads, and keeps the cursor there. */
    fleet: { kind: "config", type: "crec-fleet", required: false, icon: "clone", hint: true },
    advanced: folded("advanced"),
    /** Names the cursor. The editor makes one when the node is dropped. */
    consumer: { kind: "text", icon: "bookmark", required: true },
    /** Empty: a file in the state folder. Else the name of a context store. */
    store: { kind: "select", icon: "database", options: [], default: "", filledLater: true },
    pollMin: {
      kind: "number",
      icon: "clock-o",
      unit: "common.label.seconds",
      default: "1",
      least: 0.1,
      error: "common.error.seconds",
    },
    pollMax: {
      kind: "number",
      icon: "clock-o",
      unit: "common.label.seconds",
      default: "15",
      least: 0.1,
      error: "common.error.seconds",
    },
    /** Whether it takes commands from messages: 1 with an input. */
    inputs: { kind: "boolean", default: false, numeric: true },
    state: { kind: "section", folded: true },
    panel: { kind: "custom" },
  },
});

export type EventsInDef = SettingsOf<typeof NODE>;
