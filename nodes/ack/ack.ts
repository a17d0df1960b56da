import type { Node, NodeAPI, NodeDef } from "node-red";
import { nodeError } from "../lib/errors.ts";
import { override, readText } from "../lib/fields.ts";
import { onInput } from "../lib/input.ts";
import { loadLibrary } from "../lib/library.ts";
import { showStatus } from "../lib/status.ts";

export type AckDef = NodeDef & {
  /** `ack`: done with. `retry`: again after a delay. `reject`: to the rejected port, then on. */
  action?: "ack" | "retry" | "reject";
  /** Seconds until a refused event comes again. */
  delay?: string | number;
  reason?: string;
  reasonType?: string;
};

const DEFAULT_DELAY_SECONDS = 10;

/** Tells events in what became of an event that it handed over. */
export default function register(RED: NodeAPI): void {
  function ConstructAck(this: Node, def: AckDef): void {
    RED.nodes.createNode(this, def);

    onInput(RED, this, async ({ msg, send }) => {
      const eventId = override(msg, "eventId");
      if (!eventId) {
        throw nodeError(
          "EVENT_MISSING",
          "There is no msg.crec.eventId in this message. Keep msg.crec of the message that events in sent.",
        );
      }
      const { findInFlight } = await loadLibrary();
      // Several nodes may read one channel: each event counts for the one that sent this message.
      const reader = override(msg, "consumer");
      const consumers = findInFlight(eventId, override(msg, "channelId")).filter(
        ({ identity }) => reader === undefined || identity.consumer === reader,
      );
      const reason = await readText(RED, this, msg, {
        label: "Reason",
        value: def.reason,
        type: def.reasonType,
      });
      for (const consumer of consumers) {
        if (def.action === "retry") {
          consumer.refuse(eventId, { afterMs: Number(def.delay || DEFAULT_DELAY_SECONDS) * 1000 });
        } else if (def.action === "reject") {
          consumer.refuse(eventId, { reject: true, ...(reason ? { reason } : {}) });
        } else {
          consumer.ack(eventId);
        }
      }
      if (consumers.length > 0) showStatus(this, "done", `ack.status.${def.action ?? "ack"}`);
      // A second copy of the message, or one that came too late: what it was about is settled already.
      else showStatus(this, "stopped", "ack.status.settled");
      send(msg);
    });
  }
  RED.nodes.registerType("crec-ack", ConstructAck);
}
