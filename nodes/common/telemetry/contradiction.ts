import type { Node, NodeAPI } from "node-red";
import { activity } from "./activity.ts";
import { originOf } from "./origin.ts";

/** Lists in Issues that a node received a log with other parameters than before. `log`: see `eventKeyOf`. */
export function noteContradiction(node: Node, log: string): void {
  activity.note({ kind: "contradiction", contradiction: { ...originOf(node), log, seenAt: Date.now() } });
}

/** Warns about it, too. */
export function reportContradiction(RED: NodeAPI, node: Node, log: string): void {
  node.warn(RED._("common.warning.contradicts", { log }));
  noteContradiction(node, log);
}
