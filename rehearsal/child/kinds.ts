import type { FlowNode } from "../shared/job.ts";
import type { Handling } from "../shared/report.ts";

/** Core's nodes that compute only: they run as they do always. */
const PURE = new Set([
  "inject",
  "debug",
  "complete",
  "catch",
  "status",
  "link in",
  "link out",
  "link call",
  "comment",
  "junction",
  "global-config",
  "function",
  "switch",
  "change",
  "range",
  "template",
  "delay",
  "trigger",
  "rbe",
  "split",
  "join",
  "sort",
  "batch",
  "csv",
  "html",
  "json",
  "xml",
  "yaml",
]);

/** Core's nodes that are given messages from elsewhere. */
const SOURCES = new Set(["http in", "mqtt in", "websocket in", "tcp in", "udp in", "watch"]);

/**
 * Ours that would change something at the service, or ask it for what is true today. Their own code runs, up to the
 * request.
 */
const ACTING = new Set([
  "crec-create-watcher",
  "crec-submit-operation",
  "crec-operation",
  "crec-run-query",
  "crec-manage",
  "crec-account",
  "crec-api",
]);

/** Of the flow itself. Node-RED makes no node of it. */
export function isPartOfFlow({ type }: FlowNode): boolean {
  return type === "tab" || type === "subflow" || type === "group";
}

/** Configuration that other nodes name: on no tab, and without wires. */
export function isConfiguration(node: FlowNode): boolean {
  return node.wires === undefined;
}

/**
 * How a node takes part. `ticked`: types of palettes that the person lets run. `isWiredTo`: whether a wire leads to it.
 */
export function handlingOf(node: FlowNode, ticked: ReadonlySet<string>, isWiredTo: boolean): Handling {
  const { type } = node;
  if (PURE.has(type) || ticked.has(type) || isSubflow(type)) return "runs";
  if (type.startsWith("crec-")) return ACTING.has(type) ? "withheld" : "runs";
  if (SOURCES.has(type)) return "silent";
  const hasOutputs = (node.wires ?? []).some((wires) => wires.length > 0);
  return hasOutputs && !isWiredTo ? "silent" : "recorded";
}

/** A use of a subflow. */
export function isSubflow(type: string): boolean {
  return type.startsWith("subflow:");
}

/** Whether a type is replaced by one that only notes what it is given. Ours are replaced elsewhere. */
export function isReplaced(type: string, ticked: ReadonlySet<string>): boolean {
  return !PURE.has(type) && !isSubflow(type) && !type.startsWith("crec-") && !ticked.has(type);
}
