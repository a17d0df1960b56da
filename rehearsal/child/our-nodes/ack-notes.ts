import type { Delivery, Refusal } from "../../../src/index.ts";
import type { PastEvent } from "../../shared/job.ts";
import type { ChildHost } from "../host.ts";
import { currentTask } from "./not-tried.ts";

type Options = {
  /** The id of the events in node. */
  node: string;
  commit: "on-send" | "on-complete" | "on-ack";
  eventAt: (offset: number) => PastEvent | undefined;
};

/** Notes what becomes of events: at the node `ack` where it says so, else at the events in node that sent them. */
export function ackNotes(host: ChildHost, { node, commit, eventAt }: Options) {
  const byId = new Map<string, PastEvent>();
  const note = (text: string, past: PastEvent | undefined, message: Record<string, unknown>): void => {
    const task = currentTask();
    const isByNode = task?.type === "crec-ack";
    const msg = isByNode ? task.msg : {};
    if (past && !isByNode) host.mark(msg, past);
    host.note({ kind: "ack", node: isByNode ? task.node : node, text, message }, msg);
  };
  return {
    taken: (past: PastEvent): void => {
      byId.set(past.event.event_id, past);
    },
    answered: (eventId: string, refusal: Refusal | undefined): void => {
      // A flow that completes an event does what is expected of it.
      if (refusal === undefined && commit !== "on-ack") return;
      note(textOf(refusal), byId.get(eventId), { eventId, ...refusal });
    },
    rejected: ({ event, offset, attempt }: Delivery, why: string): void =>
      note(`rejected: ${why}`, eventAt(offset), { eventId: event.event_id, attempt, reason: why }),
  };
}

function textOf(refusal: Refusal | undefined): string {
  if (refusal === undefined) return "acknowledged";
  const why = refusal.reason === undefined ? "" : `: ${refusal.reason}`;
  return `refused${why}`;
}
