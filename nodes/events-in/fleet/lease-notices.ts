import type { Node, NodeAPI } from "node-red";
import type { LeaseState } from "../../../src/index.ts";

/** Returns the function that logs which copy reads, for hosts where nobody sees the editor. */
export function leaseNotices(RED: NodeAPI, node: Node, consumer: string): (state: LeaseState) => void {
  let hasRead = false;
  return (state) => {
    if (state.kind === "held") node.log(RED._("events-in.log.reads", { consumer }));
    if (state.kind === "elsewhere") {
      const text = RED._("events-in.log.standby", { consumer, copy: state.holder.copy.name });
      // It was suspended, or cut off from the shared state.
      if (hasRead) node.warn(text);
      else node.log(text);
    }
    if (state.kind === "waiting_for_share") {
      const { share, copies } = state;
      node.log(RED._("events-in.log.standby-share", { consumer, share, copies }));
    }
    if (state.kind !== "looking" && state.kind !== "error") hasRead = state.kind === "held";
  };
}
