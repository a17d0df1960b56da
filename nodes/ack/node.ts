import type { Node, NodeAPI } from "node-red";
import type { Refusal } from "../../src/index.ts";
import { offsetOfUnnamed } from "../../src/protocol/index.ts";
import { type FieldReader, formContext } from "../common/fields/field-reader.ts";
import { onInput } from "../common/fields/input.ts";
import { isHeld, leaseOfMessage } from "../common/fleet/held-leases.ts";
import { loadLibrary } from "../common/library.ts";
import type { CrecMessage } from "../common/messages/message.ts";
import { isTest, override } from "../common/messages/message.ts";
import { isObject } from "../common/shared/collections.ts";
import { nodeError } from "../common/shared/errors.ts";
import { showStatus, statusText } from "../common/status/status.ts";
import { type AckDef, NODE } from "./fields.ts";

const MOVED = {
  code: "CONSUMER_MOVED",
  message:
    "Another copy reads this channel by now, and sends this event again, so this acknowledgement does not count. You do not have to do anything.",
};

/** Reports to events in what became of an event that it sent. Outputs: the message, or one that came too late. */
export default function register(RED: NodeAPI): void {
  function ConstructAck(this: Node, def: AckDef): void {
    RED.nodes.createNode(this, def);
    const context = formContext(RED, this, NODE, def);
    const { fields, t } = context;

    onInput(context, def, async ({ msg, send }) => {
      const action = fields.choice("action");
      const eventId = override(msg, "eventId");
      if (!eventId && isAlertWithoutEvent(msg)) {
        showStatus(this, "done", statusText(t, "ack.status.no-event"));
        send(msg);
        return;
      }
      if (!eventId) {
        throw nodeError(
          "EVENT_MISSING",
          "There is no msg.crec.eventId in this message. Keep msg.crec of the message that events in sent.",
        );
      }
      if (isTest(msg)) {
        // The event itself may be in flight.
        showStatus(this, "done", statusText(t, "ack.status.test"));
        send(msg);
        return;
      }
      const lease = leaseOfMessage(msg);
      if (lease && !(await isHeld(lease))) {
        showStatus(this, "stopped", statusText(t, "ack.status.moved"));
        send(null, { ...msg, crec: { ...msg.crec, error: MOVED } });
        return;
      }
      const { findInFlight } = await loadLibrary();
      // An offset in place of an id names an event of its channel only.
      const channelId = offsetOfUnnamed(eventId) === undefined ? undefined : override(msg, "channelId");
      // Several nodes may read one channel: each event counts for the one that sent this message.
      const reader = override(msg, "consumer");
      const consumers = findInFlight(eventId, channelId).filter(
        ({ identity }) => reader === undefined || identity.consumer === reader,
      );
      const refusal = await refusalOf(fields, msg);
      for (const consumer of consumers) {
        if (refusal) consumer.refuse(eventId, refusal);
        else consumer.ack(eventId);
      }
      if (consumers.length > 0) showStatus(this, "done", statusText(t, `ack.status.${action}`));
      // A second copy of the message, or one that came too late: the event was settled before.
      else showStatus(this, "stopped", statusText(t, "ack.status.settled"));
      send(msg);
    });
  }
  RED.nodes.registerType("crec-ack", ConstructAck);
}

/** An absence or a reminder. What an alert node let pass is a message that came to it, and that should have its event. */
function isAlertWithoutEvent({ crec }: CrecMessage): boolean {
  return isObject(crec?.alert) && crec.alert.passed === undefined && crec.eventId === undefined;
}

/** How the event is refused; `undefined` acknowledges it. @throws INVALID_FIELD */
async function refusalOf(fields: FieldReader<typeof NODE>, msg: CrecMessage): Promise<Refusal | undefined> {
  const action = fields.choice("action");
  if (action === "retry") {
    const seconds = fields.number("delay");
    return seconds === undefined ? {} : { afterMs: seconds * 1000 };
  }
  if (action !== "reject") return undefined;
  const reason = await fields.of(msg).text("reason");
  return { reject: true, ...(reason ? { reason } : {}) };
}
