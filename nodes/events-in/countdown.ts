import type { Node, NodeAPI } from "node-red";
import {
  errorStatus,
  type StatusText,
  showStatus,
  statusOfKind,
  statusText,
} from "../common/status/status.ts";

const SECOND_MS = 1000;

export type Countdown = {
  /** When the wait ends, by `performance.now()`. */
  until: number;
  /** The status while this many seconds are left. */
  said: (seconds: number) => StatusText;
};

/**
 * Shows a wait as the node's status and counts it down each second. Only the editor gets each second: status nodes of
 * the flow get one message for each wait. Returns the function that stops it.
 */
export function showCountdown(RED: NodeAPI, node: Node, { until, said }: Countdown): () => void {
  let left = Math.max(1, Math.round((until - performance.now()) / SECOND_MS));
  showStatus(node, "error", said(left));
  const timer = setInterval(() => {
    if (left === 1) return clearInterval(timer);
    left -= 1;
    RED.events.emit("node-status", { id: node.id, status: statusOfKind("error", said(left)) });
  }, SECOND_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** An error after which the node tries again. */
export function retryStatus(RED: NodeAPI, thrown: unknown, seconds: number): StatusText {
  const { code, text: error } = errorStatus(thrown);
  return { ...statusText(RED._, "events-in.status.retrying", { error, seconds }), code };
}
