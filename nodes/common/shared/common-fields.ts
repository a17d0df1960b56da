import { CONFIDENCES, type EventType } from "../../../src/protocol/index.ts";
import { isDigits, isWorkflowId } from "./field-checks.ts";
import type { BooleanField, Fields, NumberField, Section } from "./fields.ts";

/** How long a node waits for the service's work, in seconds. */
export function timeoutField(seconds: number): NumberField {
  return {
    kind: "number",
    icon: "clock-o",
    label: "common.label.timeout",
    unit: "common.label.seconds",
    default: String(seconds),
    least: 0.1,
    error: "common.error.seconds",
  };
}

/** Whether a wait that a deploy or a crash has interrupted is taken up again. */
export const RESUME_FIELD = {
  kind: "boolean",
  label: "common.label.resume",
  default: true,
  hint: "common.hint.resume",
} as const satisfies BooleanField;

/** A folded section, under a title that several forms have. */
export function folded(title: "filters" | "verification" | "reliability" | "advanced"): Section {
  return { kind: "section", folded: true, label: `common.section.${title}` };
}

export const TEXT_TYPES = ["str", "msg", "flow", "global", "env", "jsonata"] as const;

export const JSON_TYPES = ["json", "msg", "flow", "global", "env", "jsonata"] as const;

/** For settings that are read once, when the node starts. */
export const LIST_TYPES = ["str", "json", "env"] as const;

/** How final a block must be: empty is any level, `highest` the highest one that is reported for an event. */
export const CONFIDENCE_OPTIONS = ["", "highest", ...CONFIDENCES] as const;

export type ConfidenceOption = (typeof CONFIDENCE_OPTIONS)[number];

/** Fields that several nodes have. */
export const COMMON = {
  name: { kind: "text", icon: "tag", label: "common.label.name", placeholder: "common.label.name" },
  /** Workflow ids of the watchers whose events are accepted. Empty: those of any watcher. */
  acceptWatchers: {
    kind: "typed",
    icon: "eye",
    types: LIST_TYPES,
    list: true,
    label: "common.label.accept-watchers",
    placeholder: "common.placeholder.any",
    hint: true,
    check: isWorkflowId,
    error: "common.error.workflow-id",
    lookup: { list: "watcher-workflows", by: "channel" },
  },
  connection: {
    kind: "config",
    type: "crec-connection",
    required: true,
    icon: "globe",
    label: "common.label.connection",
  },
  channel: {
    kind: "config",
    type: "crec-channel",
    required: true,
    icon: "rss",
    label: "common.label.channel",
  },
  contract: {
    kind: "config",
    type: "crec-contract",
    required: false,
    icon: "file-code-o",
    label: "common.label.contract",
  },
  /** A chain selector, for the network of a config node. */
  network: {
    kind: "text",
    icon: "link",
    label: "common.label.network",
    placeholder: "common.placeholder.network",
    required: true,
    check: isDigits,
    error: "common.error.network",
    lookup: { list: "networks", by: "connection", unknown: "common.hint.unknown-network", preselect: true },
  },
  /** Of a node that acts: whether it does so for a message of *Send the last event*. */
  allowTest: {
    kind: "boolean",
    default: false,
    label: "common.label.allowTest",
    hint: "common.hint.allowTest",
  },
  /** The most used type first. */
  types: {
    kind: "list",
    icon: "filter",
    options: [
      "watcher.event",
      "operation.status",
      "query.status",
      "watcher.status",
      "wallet.status",
    ] as const satisfies readonly EventType[],
  },
} as const satisfies Fields;
