import type { Node } from "node-red";
import { activity } from "./activity.ts";
import { originOf } from "./origin.ts";
import type { AlertSumReport } from "./types.ts";

/** Lists in Issues that a node adds up amounts whose unit is not known, or those of several contracts. */
export function noteAlertSum(node: Node, problem: AlertSumReport["problem"]): void {
  const known = activity.alertSums.get(node.id);
  if (known?.problem === "no-decimals" || known?.problem === problem) return;
  activity.note({ kind: "alertSum", alertSum: { ...originOf(node), problem, instance: node.id } });
}

/** The node is closed. */
export function forgetAlertSum(node: Node): void {
  activity.alertSums.delete(node.id);
}
