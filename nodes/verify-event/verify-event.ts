import type { Node, NodeAPI, NodeDef } from "node-red";
import type { ChannelEvent } from "../../src/index.ts";
import { connectionOf, contractOf } from "../lib/config-nodes.ts";
import { nodeError } from "../lib/errors.ts";
import { type Field, readField } from "../lib/fields.ts";
import { answer, onInput } from "../lib/input.ts";
import { loadLibrary } from "../lib/library.ts";
import { showStatus } from "../lib/status.ts";

export type VerifyEventDef = NodeDef & {
  connection?: string;
  /** Optional: its ABI gives the parameters their own names. */
  contract?: string;
  event?: string;
  eventType?: string;
};

/** Ports: verified, rejected, and what never carries a proof. */
export default function register(RED: NodeAPI): void {
  function ConstructVerifyEvent(this: Node, def: VerifyEventDef): void {
    RED.nodes.createNode(this, def);
    const field: Field = { label: "Event", value: def.event ?? "crec.event", type: def.eventType ?? "msg" };

    onInput(RED, this, async ({ msg, send }) => {
      const connection = connectionOf(RED, def.connection);
      const event = toEvent(await readField(RED, this, msg, field));
      const { dedupeKey, decodeEvent } = await loadLibrary();
      const verification = await (await connection.verifier()).verify(event);

      if (verification.verified) {
        const abi = def.contract ? await contractOf(RED, def.contract).abi() : undefined;
        send(answer(msg, decodeEvent(event, abi), { verification, dedupeKey: dedupeKey(event) }), null, null);
        showStatus(this, "done", "verify-event.status.verified");
      } else if (verification.reason === "not_verifiable") {
        send(null, null, answer(msg, decodeEvent(event), { verification }));
        showStatus(this, "done", "verify-event.status.unsigned");
      } else {
        send(null, { ...msg, crec: { ...msg.crec, verification } }, null);
        showStatus(this, "trouble", RED._("verify-event.status.rejected", { reason: verification.reason }));
      }
    });
  }
  RED.nodes.registerType("crec-verify-event", ConstructVerifyEvent);
}

/** The verifier judges everything that is an object; what is none came from a wrong wire. */
function toEvent(value: unknown): ChannelEvent {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as ChannelEvent;
  throw nodeError(
    "EVENT_MISSING",
    "There is no event in this message. Wire this node behind events in, or say in its form where the event is.",
  );
}
