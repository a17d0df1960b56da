import type { Node } from "node-red";
import type { AlertLimits } from "../../../src/index.ts";
import { activity } from "./activity.ts";
import { originOf } from "./origin.ts";

/** Lists in Issues that a node has more keys than it can count or remember. */
export function noteKeyLimit(node: Node, limits: AlertLimits): void {
  activity.note({ kind: "keyLimit", keyLimit: { ...originOf(node), ...limits, instance: node.id } });
}

/** The node is closed: it counts anew. */
export function forgetKeyLimit(node: Node): void {
  activity.keyLimits.delete(node.id);
}
