import { setImmediate as nextTurn } from "node:timers/promises";
import type { Node, NodeAPI } from "node-red";
import type { ChannelEvent, VerifyResult } from "../../src/index.ts";
import { type NodeConditions, nodeConditions } from "../common/contracts/conditions.ts";
import { contractRegistry } from "../common/contracts/contract-registry.ts";
import { eventDecoder } from "../common/contracts/event-tokens.ts";
import { confidenceCheck } from "../common/fields/accepted-events.ts";
import { channelOf, contractOf } from "../common/fields/config-nodes.ts";
import { formContext } from "../common/fields/field-reader.ts";
import { onInput } from "../common/fields/input.ts";
import { type Library, loadLibrary } from "../common/library.ts";
import { clientFor } from "../common/messages/created.ts";
import { toldError } from "../common/messages/error-texts.ts";
import { isRejected, toMessage, UndecodedNote } from "../common/messages/event-message.ts";
import type { CrecMessage } from "../common/messages/message.ts";
import { setNewest } from "../common/shared/collections.ts";
import { type CodedError, nodeError } from "../common/shared/errors.ts";
import { watcherFamily } from "../common/status/read-watchers.ts";
import { type StatusKind, showStatus, statusText } from "../common/status/status.ts";
import { reportContradiction } from "../common/telemetry/event-report.ts";
import { NODE, type SearchEventsDef } from "./fields.ts";
import { searchOf } from "./request.ts";
import { Sequence } from "./sequence.ts";

const LARGEST_PAGE = 200;
/** Nobody can read a status that changes more often, and it would flood the editor. */
const STATUS_EVERY_MS = 250;
/** Logs of one search whose parameters are remembered. */
const MOST_LOGS = 10_000;

/** Sends a message for each event that it finds. */
export default function register(RED: NodeAPI): void {
  function ConstructSearchEvents(this: Node, def: SearchEventsDef): void {
    RED.nodes.createNode(this, def);
    const context = formContext(RED, this, NODE, def);
    const { fields, t } = context;
    const undecoded = new UndecodedNote(context, "search-events.warning.undecoded");
    let conditions: NodeConditions | undefined;

    onInput(context, def, async ({ msg, send, signal }) => {
      showStatus(this, "working", statusText(t, "search-events.status.searching"));
      const most = fields.number("limit") ?? Number.POSITIVE_INFINITY;
      const { settings } = fields;
      conditions ??= nodeConditions(context, { ...settings, match: fields.choice("match") });
      const channel = channelOf(RED.nodes, settings.channel);
      const client = await clientFor(channel.connection(), msg);
      const verifier = fields.flag("verify") ? await channel.connection().verifier() : undefined;
      const contract = settings.contract ? contractOf(RED.nodes, settings.contract) : undefined;
      const chosen = contract && { contract, abi: await contract.abi() };
      const channelId = fields.of(msg).override("channel") ?? (await channel.resolve(signal));
      const donFamily = (watcherId: string) => watcherFamily(client, channelId, watcherId, signal);
      const search = await searchOf(fields, fields.of(msg), { client, channelId, signal });
      const library = await loadLibrary();
      const confidence = confidenceCheck(fields.choice("confidence"), {
        library,
        levelSource: library.levelSource(client, channelId),
      });
      const decoding = { ...library, decodeEvent: eventDecoder(contractRegistry(RED), library, chosen) };
      const sequenceId = RED.util.generateId();
      const messageOf = (event: ChannelEvent, verification: VerifyResult | undefined) => {
        const { offset } = event.headers;
        const judged = verification ? { verification } : {};
        const first = { redelivered: false, late: false, restored: false, attempt: 1 };
        const delivery = { event, offset, ...first, ...judged };
        const contradicts = verification?.verified === true && isOther(event);
        const message = merged(msg, toMessage(delivery, { channelId }, decoding), sequenceId);
        return contradicts ? { ...message, crec: { ...message.crec, contradicts } } : message;
      };

      const isOther = readingCheck(library, (log) => reportContradiction(context, log));
      const sequence = new Sequence(sequenceId, msg, send);
      const limit = Math.min(LARGEST_PAGE, most + 1);
      const undecodedBefore = undecoded.count;
      const undecided = { count: 0, reasons: [] as readonly string[] };
      let rejected = 0;
      let isMore = false;
      let shownAt = performance.now();
      try {
        const found = client.events.search(channelId, { ...search, limit }, { signal });
        for await (const event of found) {
          signal.throwIfAborted();
          // The service cannot filter by confidence.
          await confidence.prepare([event], signal);
          if (!confidence.passes(event)) continue;
          isMore = sequence.count === most;
          if (isMore) break;
          const verification = await verifier?.verify(event, { channelId, donFamily });
          const message = messageOf(event, verification);
          // Before the conditions: an event that was changed so that they do not hold is reported too.
          if (isRejected(verification)) {
            rejected += 1;
            this.error(toldError(rejection(event, verification.message)), RED.util.cloneMessage(message));
          } else {
            undecoded.note(message);
            const { matches, reasons } = await conditions.check(message);
            if (matches) sequence.push(message);
            else if (matches === undefined) {
              if (undecided.count === 0) undecided.reasons = reasons;
              undecided.count += 1;
            }
          }
          if (performance.now() - shownAt > STATUS_EVERY_MS) {
            showStatus(
              this,
              "working",
              statusText(t, "search-events.status.found", { count: sequence.count }),
            );
            shownAt = performance.now();
          }
          // The nodes behind this one run before the next event, and before the next page is requested.
          await nextTurn();
        }
      } catch (error) {
        sequence.flush();
        throw error;
      }
      sequence.end();
      if (undecided.count > 0) {
        const words = { count: undecided.count, why: undecided.reasons.join(" ") };
        this.warn(t("search-events.warning.undecided", words));
      }
      const isFiltered = conditions.rows.length > 0;
      const unread = undecoded.count - undecodedBefore;
      const [kind, key] = lastStatus({ rejected, unread, isMore, isFiltered });
      const counts = { count: sequence.count, rejected, unread };
      showStatus(this, kind, statusText(t, `search-events.status.${key}`, counts));
    });
  }
  RED.nodes.registerType("crec-search-events", ConstructSearchEvents);
}

/** What a search ends with, as the kind and the key of a status: first what is wrong with events. */
function lastStatus(ended: {
  rejected: number;
  unread: number;
  isMore: boolean;
  isFiltered: boolean;
}): [StatusKind, string] {
  if (ended.rejected > 0) return ["error", "rejected"];
  if (ended.unread > 0) return ["waiting", "undecoded"];
  if (!ended.isMore) return ["done", "found"];
  return ["done", ended.isFiltered ? "limit" : "more"];
}

/** Whether an event reads its log otherwise than the first event of that log did. Of each log, that is reported once. */
function readingCheck(
  { dedupeKey, eventKeyOf, paramsDigest }: Pick<Library, "dedupeKey" | "eventKeyOf" | "paramsDigest">,
  report: (log: string) => void,
): (event: ChannelEvent) => boolean {
  const readings = new Map<string, { first: string; isReported: boolean }>();
  return (event) => {
    const digest = paramsDigest(event);
    if (digest === undefined) return false;
    const log = eventKeyOf(dedupeKey(event));
    const { first, isReported } = readings.get(log) ?? { first: digest, isReported: false };
    const isOther = first !== digest;
    if (isOther && !isReported) report(log);
    setNewest(readings, log, { first, isReported: isReported || isOther }, MOST_LOGS);
    return isOther;
  };
}

/**
 * The incoming message with the event in it, without what `msg.crec` holds about another event. The position in the
 * sequence says nothing about the event: see `eventParts` in submit operation.
 */
function merged(msg: CrecMessage, found: CrecMessage, eventParts: string): CrecMessage {
  const {
    consumer,
    reader,
    redelivered,
    late,
    attempt,
    rejection,
    verification,
    dedupeKey,
    contradicts,
    ...kept
  } = msg.crec ?? {};
  return { ...msg, ...found, crec: { ...kept, ...found.crec, eventParts } };
}

function rejection({ event_id, headers }: ChannelEvent, why: string): CodedError {
  return nodeError(
    "EVENT_REJECTED",
    `Failed verification: ${why} Event ${event_id}, offset ${headers.offset}.`,
  );
}
