import type { Node, NodeAPI } from "node-red";
import { showStatus, statusOfKind } from "../lib/runtime/status.ts";

const SECOND_MS = 1000;

export type Countdown = {
  /** When the wait ends, by `performance.now()`. */
  until: number;
  /** The status while this many seconds are left. */
  text: (seconds: number) => string;
};

/**
 * Shows a wait as the node's status and counts it down each second. Only the editor gets each second: status nodes of
 * the flow get one message for each wait. Returns the function that stops it.
 */
export function showCountdown(RED: NodeAPI, node: Node, { until, text }: Countdown): () => void {
  let left = Math.max(1, Math.round((until - performance.now()) / SECOND_MS));
  showStatus(node, "error", text(left));
  const timer = setInterval(() => {
    if (left === 1) return clearInterval(timer);
    left -= 1;
    RED.events.emit("node-status", { id: node.id, status: statusOfKind("error", text(left)) });
  }, SECOND_MS);
  timer.unref();
  return () => clearInterval(timer);
}
