import type { NodeAPI } from "node-red";
import type { Connection } from "../../../nodes/common/fields/config-nodes.ts";
import type { FlowNode, Flows } from "../../../nodes/common/flows/flows.ts";
import { canonicalWorkflowId } from "../../../src/protocol/ids.ts";
import { connectionOf, namesOf } from "./settings.ts";

/** A node that verifies events, with the watchers whose events it accepts. */
export type Verifying = {
  node: FlowNode;
  connection: Connection;
  /** Workflow ids; undefined for any watcher, and where they are not known. */
  accepted: ReadonlySet<string> | undefined;
};

export function verifyingNodes(RED: NodeAPI, flows: Flows): Verifying[] {
  return flows.ofType("crec-events-in", "crec-verify-event").flatMap((node): Verifying[] => {
    const connection = connectionOf(RED, node);
    if (!connection || node.verify === false) return [];
    return [{ node, connection, accepted: acceptedBy(RED, node) }];
  });
}

function acceptedBy(RED: NodeAPI, node: FlowNode): ReadonlySet<string> | undefined {
  const isList = node.acceptWatchersType === "json";
  const names = isList ? listIn(node.acceptWatchers) : namesOf(RED, node, "acceptWatchers");
  if (names === undefined || names.length === 0) return undefined;
  return new Set(names.flatMap((name) => canonicalWorkflowId(name) ?? []));
}

/** Undefined for anything but a list of texts. */
function listIn(json: unknown): string[] | undefined {
  try {
    const list: unknown = JSON.parse(String(json));
    return Array.isArray(list) && list.every((one) => typeof one === "string") ? list : undefined;
  } catch {
    return undefined;
  }
}
