import type { Node, NodeAPI } from "node-red";
import type { ChannelEvent, UnmetExpectation, VerifyResult } from "../../src/index.ts";
import { envelopeOf } from "../../src/protocol/index.ts";
import { connectionOf, contractOf } from "../lib/runtime/config-nodes.ts";
import { isNotice, payloadOf } from "../lib/runtime/event-message.ts";
import { type Field, readField } from "../lib/runtime/fields.ts";
import { answer, onInput } from "../lib/runtime/input.ts";
import { loadLibrary } from "../lib/runtime/library.ts";
import { showStatus } from "../lib/runtime/status.ts";
import { watcherFamily } from "../lib/runtime/watcher-family.ts";
import { nodeError } from "../lib/shared/errors.ts";
import { openDedupeStore } from "./open-dedupe-store.ts";
import { type SeenBefore, seenBefore } from "./seen-before.ts";
import {
  channelIdOf,
  deliveryOf,
  expectationsOf,
  hasSignedChannel,
  type VerifyEventDef,
  watcherChannelOf,
} from "./settings.ts";

/** Outputs: verified, rejected, and events that never carry a proof. */
export default function register(RED: NodeAPI): void {
  function ConstructVerifyEvent(this: Node, def: VerifyEventDef): void {
    RED.nodes.createNode(this, def);
    const field: Field = { label: "Event", value: def.event ?? "crec.event", type: def.eventType ?? "msg" };
    const dedupeStore = openDedupeStore(RED, this, def);

    onInput(RED, this, def, async ({ msg, send, signal }) => {
      const connection = connectionOf(RED, def.connection);
      const event = toEvent(await readField(RED, this, msg, field));
      const expected = await expectationsOf(RED, this, def, msg);
      const library = await loadLibrary();
      const { dedupeKey, decodeEvent, signedFacts, unmetExpectation } = library;
      const reject = (verification: VerifyResult | UnmetExpectation | SeenBefore) => {
        send(null, { ...msg, crec: { ...msg.crec, verification } }, null);
        const reason = verification.verified ? "" : verification.reason;
        showStatus(this, "error", RED._("verify-event.status.rejected", { reason }));
      };

      const readChannelId = () => channelIdOf(RED, def, msg, event, signal);
      const channelId = hasSignedChannel(event) ? await readChannelId() : undefined;
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
      const unmet = unmetExpectation(signedFacts(event), expected, verification);
      if (unmet) return reject(unmet);
      const abi = def.contract ? await contractOf(RED, def.contract).abi() : undefined;
      const payload = decodeEvent(event, abi);
      const key = dedupeKey(event);
      const store = await dedupeStore?.();
      signal.throwIfAborted();
      // A key that is accepted must be sent: nothing between the two lines may wait or fail.
      if (store?.accept(key, deliveryOf(msg, event)) === false) return reject(seenBefore(key));
      send(answer(msg, payload, { verification, dedupeKey: key }), null, null);
      showStatus(this, "done", "verify-event.status.verified");
    });
  }
  RED.nodes.registerType("crec-verify-event", ConstructVerifyEvent);
}

/** The verifier takes any object. Anything else means that the node is wired to the wrong place. */
function toEvent(value: unknown): ChannelEvent {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return envelopeOf({ ...value });
  throw nodeError(
    "EVENT_MISSING",
    "There is no event in this message. Wire this node behind events in, or set in its form where the event is.",
  );
}
