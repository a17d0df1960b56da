import type { Node, NodeAPI } from "node-red";
import type { ChannelEvent, VerifyResult } from "../../src/index.ts";
import { envelopeOf } from "../../src/protocol/index.ts";
import { connectionOf, contractOf } from "../lib/runtime/config-nodes.ts";
import { isNotice, payloadOf } from "../lib/runtime/event-message.ts";
import { type Field, readField } from "../lib/runtime/fields.ts";
import { answer, onInput } from "../lib/runtime/input.ts";
import { loadLibrary } from "../lib/runtime/library.ts";
import { showStatus } from "../lib/runtime/status.ts";
import { watcherFamily } from "../lib/runtime/watcher-family.ts";
import { nodeError } from "../lib/shared/errors.ts";
import { familyUnmet, firstUnmet, seenBefore, type Unmet } from "./expectations.ts";
import { openMemory } from "./open-memory.ts";
import {
  channelIdOf,
  deliveryOf,
  expectationsOf,
  isOfQuery,
  type VerifyEventDef,
  watcherChannelOf,
} from "./settings.ts";

/** Ports: verified, rejected, and what never carries a proof. */
export default function register(RED: NodeAPI): void {
  function ConstructVerifyEvent(this: Node, def: VerifyEventDef): void {
    RED.nodes.createNode(this, def);
    const field: Field = { label: "Event", value: def.event ?? "crec.event", type: def.eventType ?? "msg" };
    const memory = openMemory(RED, this, def);

    onInput(RED, this, def, async ({ msg, send, signal }) => {
      const connection = connectionOf(RED, def.connection);
      const event = toEvent(await readField(RED, this, msg, field));
      const expected = await expectationsOf(RED, this, def, msg);
      const library = await loadLibrary();
      const { dedupeKey, decodeEvent, signedFacts } = library;
      const reject = (verification: VerifyResult | Unmet) => {
        send(null, { ...msg, crec: { ...msg.crec, verification } }, null);
        const reason = verification.verified ? "" : verification.reason;
        showStatus(this, "error", RED._("verify-event.status.rejected", { reason }));
      };

      const readChannelId = () => channelIdOf(RED, def, msg, event, signal);
      const channelId = isOfQuery(event) ? await readChannelId() : undefined;
      const verification = await (await connection.verifier()).verify(event, {
        ...(channelId ? { channelId } : {}),
        donFamily: async (watcherId) => {
          const channelId = await watcherChannelOf(readChannelId(), event);
          return watcherFamily(await connection.client(), channelId, watcherId, signal);
        },
      });
      if (!verification.verified) {
        if (!isNotice(verification)) return reject(verification);
        send(null, null, answer(msg, payloadOf(event, library), { verification }));
        showStatus(this, "done", "verify-event.status.unsigned");
        return;
      }
      const unmet =
        familyUnmet(verification.donFamily, expected.family) ??
        firstUnmet(signedFacts(event), expected, Date.now() / 1000);
      if (unmet) return reject(unmet);
      const abi = def.contract ? await contractOf(RED, def.contract).abi() : undefined;
      const payload = decodeEvent(event, abi);
      const key = dedupeKey(event);
      const seen = await memory?.();
      signal.throwIfAborted();
      // Nothing is noted that is not sent on: from here to there nothing is waited for, and nothing can fail.
      if (seen?.isFirst(key, deliveryOf(msg, event)) === false) return reject(seenBefore(key));
      send(answer(msg, payload, { verification, dedupeKey: key }), null, null);
      showStatus(this, "done", "verify-event.status.verified");
    });
  }
  RED.nodes.registerType("crec-verify-event", ConstructVerifyEvent);
}

/** The verifier judges everything that is an object; what is none came from a wrong wire. */
function toEvent(value: unknown): ChannelEvent {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return envelopeOf({ ...value });
  throw nodeError(
    "EVENT_MISSING",
    "There is no event in this message. Wire this node behind events in, or say in its form where the event is.",
  );
}
