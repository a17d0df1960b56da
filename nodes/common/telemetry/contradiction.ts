import type { Node } from "node-red";
import type { NodeContext } from "../context.ts";
import { activity } from "./activity.ts";
import { originOf } from "./origin.ts";

/** Lists in Issues that a node received a log with other parameters than before. `log`: see `eventKeyOf`. */
export function noteContradiction(node: Node, log: string): void {
  activity.note({ kind: "contradiction", contradiction: { ...originOf(node), log, seenAt: Date.now() } });
}

/** Warns about it, too. */
export function reportContradiction({ node, t }: Pick<NodeContext, "node" | "t">, log: string): void {
  node.warn(t("common.warning.contradicts", { log }));
  noteContradiction(node, log);
}
