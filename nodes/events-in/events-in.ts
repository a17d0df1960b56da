import type { Node, NodeAPI, NodeDef } from "node-red";
import type { EventConsumer } from "../../src/index.ts";
import { channelOf } from "../lib/config-nodes.ts";
import { shortText, toCodedError } from "../lib/errors.ts";
import { loadLibrary } from "../lib/library.ts";
import { showStatus } from "../lib/status.ts";
import { channelWhenThere } from "./channel-when-there.ts";
import { toMessage } from "./message.ts";
import { consumerOptions, cursorPath } from "./settings.ts";
import { showConsumerState } from "./state.ts";

export type EventsInDef = NodeDef & {
  channel?: string;
  /** Names the cursor; made by the editor when the node is dropped. */
  consumer?: string;
  start?: "now" | "beginning" | "offset" | "time";
  startValue?: string;
  /** Event types wanted; all when empty. */
  types?: string[];
  watcher?: string;
  contractEvent?: string;
  address?: string;
  confidence?: "" | "latest" | "safe" | "finalized";
  verify?: boolean;
  /** Seconds between polls: when there is traffic, and at most when there is none. */
  pollMin?: string | number;
  pollMax?: string | number;
};

/** Ports: events, and rejected ones. */
export default function register(RED: NodeAPI): void {
  function ConstructEventsIn(this: Node, def: EventsInDef): void {
    RED.nodes.createNode(this, def);
    const closing = new AbortController();
    let consumer: EventConsumer | undefined;

    const open = async (): Promise<void> => {
      const channel = channelOf(RED, def.channel);
      const connection = channel.connection();
      const channelId = await channelWhenThere(RED, this, channel, closing.signal);
      const client = await connection.client();
      const verifier = def.verify ? await connection.verifier() : undefined;
      const { EventConsumer, FileCursorStore, eventSource, decodeEvent, dedupeKey } = await loadLibrary();
      if (closing.signal.aborted) return;

      const name = def.consumer || this.id;
      consumer = new EventConsumer({
        ...consumerOptions(def),
        source: eventSource(client.events, channelId),
        store: new FileCursorStore({ path: cursorPath(RED, name) }),
        identity: { consumer: name, channelId, service: connection.baseUrl },
        ...(verifier ? { verify: (event) => verifier.verify(event, { channelId }) } : {}),
        deliver: (delivery) => {
          const msg = toMessage(delivery, channelId, { decodeEvent, dedupeKey });
          const rejected = delivery.verification?.verified === false && isClaim(delivery.verification.reason);
          this.send(rejected ? [null, msg] : [msg, null]);
        },
        onState: (state) => showConsumerState(RED, this, state),
        onError: (error) => this.error(toCodedError(error), {}),
      });
      await consumer.start();
    };
    const begin = () => {
      open().catch((thrown: unknown) => {
        if (closing.signal.aborted) return;
        const error = toCodedError(thrown);
        showStatus(this, "trouble", shortText(error));
        this.error(error, {});
      });
    };
    // Flows are started one after the other: nothing is sent before all of them listen.
    RED.events.once("flows:started", begin);
    showStatus(this, "waiting", "events-in.status.connecting");

    this.on("close", (done: () => void) => {
      RED.events.removeListener("flows:started", begin);
      closing.abort();
      Promise.resolve(consumer?.stop()).then(done, done);
    });
  }
  RED.nodes.registerType("crec-events-in", ConstructEventsIn);
}
