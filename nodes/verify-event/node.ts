import type { Node, NodeAPI } from "node-red";
import type { ChannelEvent, UnmetExpectation, VerifyResult } from "../../src/index.ts";
import { envelopeOf } from "../../src/protocol/index.ts";
import { contractRegistry } from "../common/contracts/contract-registry.ts";
import { eventDecoder } from "../common/contracts/event-tokens.ts";
import { connectionOf, contractOf } from "../common/fields/config-nodes.ts";
import { formContext } from "../common/fields/field-reader.ts";
import { answer, onInput } from "../common/fields/input.ts";
import { loadLibrary } from "../common/library.ts";
import {
  eventIn,
  isNotice,
  isUndecoded,
  payloadOf,
  UndecodedNote,
} from "../common/messages/event-message.ts";
import type { CrecMessage } from "../common/messages/message.ts";
import { isTest } from "../common/messages/message.ts";
import { reasonWord } from "../common/messages/service-words.ts";
import { nodeError } from "../common/shared/errors.ts";
import { watcherFamily } from "../common/status/read-watchers.ts";
import { showStatus, statusText } from "../common/status/status.ts";
import { reportContradiction } from "../common/telemetry/event-report.ts";
import { openOnce } from "./dedupe.ts";
import { NODE, type VerifyEventDef } from "./fields.ts";
import { type Checked, noteChecked } from "./noted.ts";
import { channelIdOf, deliveryOf, expectationsOf, hasSignedChannel, watcherChannelOf } from "./settings.ts";

/** Outputs: verified, rejected, and events that never carry a proof. */
export default function register(RED: NodeAPI): void {
  function ConstructVerifyEvent(this: Node, def: VerifyEventDef): void {
    RED.nodes.createNode(this, def);
    const context = formContext(RED, this, NODE, def);
    const { fields, t } = context;
    const { settings } = fields;
    const once = openOnce(RED, this, fields);
    const undecoded = new UndecodedNote(context, "verify-event.warning.undecoded");

    onInput(context, def, async ({ msg, send, signal }) => {
      const connection = connectionOf(RED.nodes, settings.connection);
      const event = toEvent(await fields.of(msg).value("event"));
      const expected = await expectationsOf(context, msg);
      const library = await loadLibrary();
      const { dedupeKey, paramsDigest, signedFacts, unmetExpectation } = library;
      const reject = (verification: VerifyResult | UnmetExpectation | SeenBefore) => {
        send(null, { ...msg, crec: { ...msg.crec, verification } }, null);
        const reason = verification.verified ? "" : reasonWord(t, verification.reason);
        showStatus(this, "error", statusText(t, "verify-event.status.rejected", { reason }));
      };

      const readChannelId = () => channelIdOf(RED.nodes, settings.channel, msg, event, signal);
      const channelId = hasSignedChannel(event) ? await readChannelId() : undefined;
      const verifier = await connection.verifier();
      const begun = performance.now();
      const verification = await verifier.verify(event, {
        ...(channelId ? { channelId } : {}),
        donFamily: async (watcherId) => {
          const channelId = await watcherChannelOf(readChannelId(), event);
          return watcherFamily(await connection.client(), channelId, watcherId, signal);
        },
      });
      const proofMs = performance.now() - begun;
      const note = (more: Pick<Checked, "decoded" | "reason">) =>
        noteChecked(this, { msg, event, verification, proofMs, ...more });
      if (!verification.verified) {
        note({});
        if (!isNotice(verification)) return reject(verification);
        send(null, null, answer(msg, payloadOf(event, library), { verification }));
        showStatus(this, "done", statusText(t, "verify-event.status.unsigned"));
        return;
      }
      const unmet = unmetExpectation(signedFacts(event), expected, verification);
      if (unmet) {
        note({ reason: unmet.reason });
        return reject(unmet);
      }
      const contract = settings.contract ? contractOf(RED.nodes, settings.contract) : undefined;
      const chosen = contract && { contract, abi: await contract.abi() };
      const payload = payloadOf(event, {
        ...library,
        decodeEvent: eventDecoder(contractRegistry(RED), library, chosen),
      });
      const key = dedupeKey(event);
      signal.throwIfAborted();
      // Trying a flow must not use up the one time that an event is accepted.
      const result = isTest(msg)
        ? undefined
        : await once?.({ msg, key, digest: paramsDigest(event), delivery: deliveryOf(msg, event), signal });
      // An event that is accepted must be sent: nothing after this line may wait or fail.
      if (result === "seen") {
        const seen = seenBefore(key);
        note({ decoded: payload, reason: seen.reason });
        return reject(seen);
      }
      note({ decoded: payload });
      const contradicts = result === "contradicts" ? { contradicts: true } : {};
      const details = { verification, dedupeKey: key, ...contradicts, ...originOf(msg, event) };
      send(answer(msg, payload, details), null, null);
      undecoded.note({ payload, crec: { offset: event.headers.offset } });
      if (result !== "contradicts")
        return isUndecoded(payload)
          ? showStatus(this, "waiting", statusText(t, "verify-event.status.undecoded"))
          : showStatus(this, "done", statusText(t, "verify-event.status.verified"));
      reportContradiction(context, library.eventKeyOf(key));
      showStatus(this, "waiting", statusText(t, "common.status.contradicts"));
    });
  }
  RED.nodes.registerType("crec-verify-event", ConstructVerifyEvent);
}

/**
 * The sequence in which the event came, where this node is the first to give its message an event: the position in a
 * list of events says nothing about the event. See `eventParts` in submit operation.
 */
function originOf(msg: CrecMessage, { event_id }: ChannelEvent): { eventParts?: unknown } {
  const { crec, parts } = msg;
  const known = eventIn(msg);
  if (known && envelopeOf({ ...known }).event_id === event_id) return {};
  const { id: eventParts } = (parts ?? {}) as { id?: unknown };
  return eventParts === undefined && crec?.eventParts === undefined ? {} : { eventParts };
}

/** The verifier takes any object. Anything else means that the node is wired to the wrong place. */
function toEvent(value: unknown): ChannelEvent {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return envelopeOf({ ...value });
  throw nodeError(
    "EVENT_MISSING",
    "There is no event in this message. Wire this node behind events in, or set in its form where the event is.",
  );
}

/** The rejection of an event that this node has sent before. */
type SeenBefore = { verified: false; reason: "seen_before"; message: string };

function seenBefore(dedupeKey: string): SeenBefore {
  return {
    verified: false,
    reason: "seen_before",
    message: `This node has sent an event with the same signed content before (${dedupeKey}). It must not be processed again.`,
  };
}
