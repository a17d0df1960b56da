import { setImmediate as nextTurn } from "node:timers/promises";
import type { Node, NodeAPI } from "node-red";
import type { ChannelEvent, VerifyResult } from "../../src/index.ts";
import { channelOf, contractOf } from "../lib/runtime/config-nodes.ts";
import { clientFor } from "../lib/runtime/created.ts";
import { channelOverride } from "../lib/runtime/details.ts";
import { isRejected, toMessage } from "../lib/runtime/event-message.ts";
import { onInput } from "../lib/runtime/input.ts";
import { loadLibrary } from "../lib/runtime/library.ts";
import type { CrecMessage } from "../lib/runtime/message.ts";
import { showStatus } from "../lib/runtime/status.ts";
import { watcherFamily } from "../lib/runtime/watcher-family.ts";
import { type CodedError, nodeError } from "../lib/shared/errors.ts";
import { limitOf, type SearchEventsDef, searchOf } from "./filter.ts";
import { Sequence } from "./sequence.ts";

const LARGEST_PAGE = 200;
/** A status that changes more often than this is not read, and floods the editor. */
const STATUS_EVERY_MS = 250;

/** One port: a message for each event found. */
export default function register(RED: NodeAPI): void {
  function ConstructSearchEvents(this: Node, def: SearchEventsDef): void {
    RED.nodes.createNode(this, def);

    onInput(RED, this, def, async ({ msg, send, signal }) => {
      showStatus(this, "working", "search-events.status.searching");
      const most = limitOf(def);
      const channel = channelOf(RED, def.channel);
      const client = await clientFor(channel.connection(), msg);
      const verifier = def.verify === false ? undefined : await channel.connection().verifier();
      const abi = def.contract ? await contractOf(RED, def.contract).abi() : undefined;
      const channelId = channelOverride(msg) ?? (await channel.resolve(signal));
      const donFamily = (watcherId: string) => watcherFamily(client, channelId, watcherId, signal);
      const search = await searchOf(RED, this, def, msg, { client, channelId, signal });
      const library = await loadLibrary();
      const decoding = { ...library, decodeEvent: (event: ChannelEvent) => library.decodeEvent(event, abi) };
      const messageOf = (event: ChannelEvent, verification: VerifyResult | undefined) => {
        const { offset } = event.headers;
        const judged = verification ? { verification } : {};
        const first = { redelivered: false, late: false, restored: false, attempt: 1 };
        const delivery = { event, offset, ...first, ...judged };
        return merged(msg, toMessage(delivery, { channelId }, decoding));
      };

      const sequence = new Sequence(RED.util.generateId(), msg, send);
      const limit = Math.min(LARGEST_PAGE, most + 1);
      let rejected = 0;
      let isMore = false;
      let shownAt = performance.now();
      try {
        for await (const event of onceEach(
          client.events.search(channelId, { ...search, limit }, { signal }),
        )) {
          signal.throwIfAborted();
          isMore = sequence.count === most;
          if (isMore) break;
          const verification = await verifier?.verify(event, { channelId, donFamily });
          if (isRejected(verification)) {
            rejected += 1;
            this.error(
              rejection(event, verification.message),
              RED.util.cloneMessage(messageOf(event, verification)),
            );
          } else {
            sequence.push(messageOf(event, verification));
          }
          if (performance.now() - shownAt > STATUS_EVERY_MS) {
            showStatus(this, "working", RED._("search-events.status.found", { count: sequence.count }));
            shownAt = performance.now();
          }
          // What is behind this node has its turn before the next event, and the next page is not asked for earlier.
          await nextTurn();
        }
      } catch (error) {
        sequence.flush();
        throw error;
      }
      sequence.end();
      const key = rejected > 0 ? "rejected" : isMore ? "more" : "found";
      const text = RED._(`search-events.status.${key}`, { count: sequence.count, rejected });
      showStatus(this, rejected > 0 ? "error" : "done", text);
    });
  }
  RED.nodes.registerType("crec-search-events", ConstructSearchEvents);
}

/** What came in, with the event in it. What `msg.crec` said of another event does not hold for this one. */
function merged(msg: CrecMessage, found: CrecMessage): CrecMessage {
  const { consumer, redelivered, late, attempt, rejection, verification, dedupeKey, ...kept } =
    msg.crec ?? {};
  return { ...msg, ...found, crec: { ...kept, ...found.crec } };
}

const REMEMBERED = 1000;

/** Events that are made meanwhile can move others to the next page, where they come again. */
async function* onceEach(events: AsyncIterable<ChannelEvent>): AsyncGenerator<ChannelEvent> {
  const recent = new Set<string>();
  for await (const event of events) {
    if (recent.has(event.event_id)) continue;
    recent.add(event.event_id);
    for (const oldest of recent) {
      if (recent.size <= REMEMBERED) break;
      recent.delete(oldest);
    }
    yield event;
  }
}

function rejection({ event_id, headers }: ChannelEvent, why: string): CodedError {
  return nodeError("EVENT_REJECTED", `Event ${event_id} at offset ${headers.offset} is not proven: ${why}`);
}
