import type { Node, NodeAPI } from "node-red";
import type { CrecError, LeaseState } from "../../../src/index.ts";
import { shortText } from "../../common/messages/error-texts.ts";
import {
  type StatusKind,
  type StatusText,
  showStatus,
  statusOfKind,
  statusText,
} from "../../common/status/status.ts";

/** How often the time since the other copy was heard of is shown anew. */
const REFRESH_MS = 3_000;
const SECOND_MS = 1_000;

/** The lease of a node, as far as its status needs it. */
export type ShownLease = {
  state(): LeaseState;
  /** How many channels this process wants to read. */
  wanted(): number;
};

/**
 * Shows why a node does not read, and keeps it up to date in the editor; status nodes of the flow get one message for
 * each state. Returns the function that stops it.
 */
export function showLease(RED: NodeAPI, node: Node, lease: ShownLease): () => void {
  let shown = statusOf(RED, lease);
  showStatus(node, ...shown);
  const timer = setInterval(() => {
    const now = statusOf(RED, lease);
    if (now[1].text === shown[1].text) return;
    shown = now;
    RED.events.emit("node-status", { id: node.id, status: statusOfKind(...now) });
  }, REFRESH_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function statusOf(RED: NodeAPI, lease: ShownLease): [StatusKind, StatusText] {
  const state = lease.state();
  switch (state.kind) {
    case "elsewhere": {
      const { copy, renewedMsAgo } = state.holder;
      const seconds = Math.round(renewedMsAgo / SECOND_MS);
      return ["stopped", statusText(RED._, "events-in.status.standby", { copy: copy.name, seconds })];
    }
    case "waiting_for_share":
      return [
        "stopped",
        statusText(RED._, "events-in.status.standby-share", { share: state.share, all: lease.wanted() }),
      ];
    case "error":
      return ["error", statusText(RED._, keyOf(state.error), { reason: reasonOf(state.error) })];
    default:
      return ["waiting", statusText(RED._, "events-in.status.connecting")];
  }
}

function keyOf({ code }: CrecError): string {
  return `events-in.status.fleet-${code === "SHARED_STATE_UNREACHABLE" ? "unreachable" : "refused"}`;
}

/** Without the beginning of the sentence, which the status says already. */
function reasonOf({ message }: CrecError): string {
  return shortText(new Error(message.replace(/^The shared state [^:]*: /, "")));
}
