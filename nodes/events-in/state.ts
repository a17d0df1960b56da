import type { Node, NodeAPI } from "node-red";
import { type StatusKind, showStatus } from "../lib/runtime/status.ts";
import { shortText } from "../lib/shared/errors.ts";
import type { Reader } from "./reader.ts";
import { startedStatus } from "./start-text.ts";

const CONNECTED = "node-red:common.status.connected";

export type Shown = Pick<Reader, "outputs" | "started"> & { consumer: Pick<Reader["consumer"], "state"> };

/** Shows what the consumer is doing as the node's status, and how many events were dropped for their proof. */
export function showState(RED: NodeAPI, node: Node, reader: Shown): void {
  const [kind, text] = statusOf(RED, reader);
  showStatus(node, kind, text);
}

function statusOf(RED: NodeAPI, { consumer: { state }, outputs, started }: Shown): [StatusKind, string] {
  const { dropped, givenUp, inFlow } = outputs;
  switch (state.kind) {
    case "connecting":
      return ["waiting", "node-red:common.status.connecting"];
    case "waiting_for_channel":
      return ["waiting", "events-in.status.waiting-for-channel"];
    case "connected":
      if (state.repeating) return ["working", RED._("events-in.status.repeating", state.repeating)];
      if (inFlow.holdsUp) return ["working", RED._("events-in.status.in-flow", { count: inFlow.count })];
      if (state.waitingForAcks) {
        return ["working", RED._("events-in.status.waiting-for-acks", { count: state.waitingForAcks })];
      }
      if (state.behind) return ["working", RED._("events-in.status.behind", { count: state.behind })];
      if (givenUp) return ["done", RED._("events-in.status.given-up", { count: givenUp })];
      // Until the first event, so that a person sees it who has deployed and looks.
      if (started?.from === "start" && state.delivered === 0) return ["done", startedStatus(RED._, started)];
      return ["done", dropped ? RED._("events-in.status.dropped", { count: dropped }) : CONNECTED];
    case "retrying": {
      if (state.error.code === "WATCHER_NOT_FOUND")
        return ["waiting", "events-in.status.waiting-for-watcher"];
      const seconds = Math.max(1, Math.round(state.inMs / 1000));
      return ["error", RED._("events-in.status.retrying", { error: shortText(state.error), seconds })];
    }
    case "beyond_end": {
      const seconds = Math.max(1, Math.round(state.inMs / 1000));
      return ["error", RED._("events-in.status.beyond-end", { seconds })];
    }
    case "refused":
      return ["error", "events-in.status.key-refused"];
    case "paused":
      return ["stopped", "events-in.status.paused"];
    case "stopped":
      return state.error ? ["error", shortText(state.error)] : ["stopped", "events-in.status.stopped"];
  }
}
