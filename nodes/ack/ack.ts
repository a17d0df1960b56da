import type { Node, NodeAPI, NodeDef } from "node-red";
import type { Refusal } from "../../src/index.ts";
import { offsetOfUnnamed } from "../../src/protocol/index.ts";
import { override } from "../lib/runtime/details.ts";
import { oneOf, readText } from "../lib/runtime/fields.ts";
import { onInput } from "../lib/runtime/input.ts";
import { loadLibrary } from "../lib/runtime/library.ts";
import type { CrecMessage } from "../lib/runtime/message.ts";
import { showStatus } from "../lib/runtime/status.ts";
import { nodeError } from "../lib/shared/errors.ts";

const ACTIONS = ["ack", "retry", "reject"] as const;
type Action = (typeof ACTIONS)[number];

export type AckDef = NodeDef & {
  /** `ack`: done with. `retry`: again after a delay. `reject`: to the rejected port, then on. */
  action?: Action;
  /** Seconds until a refused event comes again. */
  delay?: string | number;
  reason?: string;
  reasonType?: string;
};

const DEFAULT_DELAY_SECONDS = 10;

/** Tells events in what became of an event that it handed over. */
export default function register(RED: NodeAPI): void {
  /** How the event is refused; `undefined` acknowledges it. */
  async function refusalOf(
    node: Node,
    msg: CrecMessage,
    { action, def }: { action: Action; def: AckDef },
  ): Promise<Refusal | undefined> {
    if (action === "retry") return { afterMs: delayMs(def) };
    if (action !== "reject") return undefined;
    const field = { label: "Reason", value: def.reason, type: def.reasonType };
    const reason = await readText(RED, node, msg, field);
    return { reject: true, ...(reason ? { reason } : {}) };
  }

  function ConstructAck(this: Node, def: AckDef): void {
    RED.nodes.createNode(this, def);

    onInput(RED, this, def, async ({ msg, send }) => {
      const action = oneOf("Then", def.action, ACTIONS) ?? "ack";
      const eventId = override(msg, "eventId");
      if (!eventId) {
        throw nodeError(
          "EVENT_MISSING",
          "There is no msg.crec.eventId in this message. Keep msg.crec of the message that events in sent.",
        );
      }
      const { findInFlight } = await loadLibrary();
      // An offset in place of an id names an event of its channel only.
      const channelId = offsetOfUnnamed(eventId) === undefined ? undefined : override(msg, "channelId");
      // Several nodes may read one channel: each event counts for the one that sent this message.
      const reader = override(msg, "consumer");
      const consumers = findInFlight(eventId, channelId).filter(
        ({ identity }) => reader === undefined || identity.consumer === reader,
      );
      const refusal = await refusalOf(this, msg, { action, def });
      for (const consumer of consumers) {
        if (refusal) consumer.refuse(eventId, refusal);
        else consumer.ack(eventId);
      }
      if (consumers.length > 0) showStatus(this, "done", `ack.status.${action}`);
      // A second copy of the message, or one that came too late: what it was about is settled already.
      else showStatus(this, "stopped", "ack.status.settled");
      send(msg);
    });
  }
  RED.nodes.registerType("crec-ack", ConstructAck);
}

/** @throws INVALID_FIELD */
function delayMs({ delay = "" }: AckDef): number {
  const seconds = delay === "" ? DEFAULT_DELAY_SECONDS : Number(delay);
  if (seconds >= 0 && Number.isFinite(seconds)) return seconds * 1000;
  throw nodeError("INVALID_FIELD", `"Again after" must be a number of seconds, 0 or more, not "${delay}".`);
}
