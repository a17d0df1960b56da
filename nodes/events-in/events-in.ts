import type { Node, NodeAPI } from "node-red";
import type { EventConsumer, VerifyResult } from "../../src/index.ts";
import { channelOf } from "../lib/config-nodes.ts";
import { shortText, toCodedError } from "../lib/errors.ts";
import { loadLibrary } from "../lib/library.ts";
import { showStatus } from "../lib/status.ts";
import { channelWhenThere } from "./channel-when-there.ts";
import { toMessage } from "./message.ts";
import { claimPlace, nameTaken, type Standing } from "./place.ts";
import {
  cursorPath,
  type EventsInDef,
  filterOf,
  pollIntervals,
  serviceIdentity,
  startOf,
} from "./settings.ts";
import { showState } from "./state.ts";

/** Ports: events, and rejected ones. */
export default function register(RED: NodeAPI): void {
  function ConstructEventsIn(this: Node, def: EventsInDef): void {
    RED.nodes.createNode(this, def);
    const closing = new AbortController();
    const name = def.consumer || this.id;
    let consumer: EventConsumer | undefined;
    let standing: Standing = "alone";
    let leave = () => {};

    const show = (): void => {
      if (standing !== "alone") showStatus(this, "trouble", shortText(nameTaken(name)));
      else if (consumer) showState(RED, this, consumer.state);
    };
    const open = async (): Promise<void> => {
      const channel = channelOf(RED, def.channel);
      const connection = channel.connection();
      const channelId = await channelWhenThere(RED, this, channel, closing.signal);
      const client = await connection.client();
      const verifier = def.verify ? await connection.verifier() : undefined;
      const library = await loadLibrary();
      if (closing.signal.aborted) return;

      consumer = new library.EventConsumer({
        source: library.eventSource(client.events, channelId),
        store: new library.FileCursorStore({ path: cursorPath(RED, name) }),
        identity: { consumer: name, channelId, service: serviceIdentity(connection.baseUrl) },
        start: startOf(def),
        filter: library.eventFilter(filterOf(def)),
        ...pollIntervals(def),
        ...(def.types?.length ? { types: def.types } : {}),
        ...(verifier ? { verify: (event) => verifier.verify(event, { channelId }) } : {}),
        deliver: (delivery) => {
          const msg = toMessage(delivery, channelId, library);
          this.send(isRejected(delivery.verification) ? [null, msg] : [msg, null]);
        },
        onState: show,
        onError: (error) => {
          // A channel that is not there yet is waited for, and the status says so.
          if (error.code !== "CHANNEL_NOT_FOUND") this.error(error, {});
        },
      });
      consumer.start();
    };
    let opened = false;
    const begin = () => {
      leave = claimPlace(cursorPath(RED, name), (now) => {
        if (closing.signal.aborted) return;
        if (now !== "alone" && standing === "alone") this.error(nameTaken(name), {});
        standing = now;
        show();
        if (now === "barred" || opened) return;
        opened = true;
        open().catch((thrown: unknown) => {
          if (closing.signal.aborted) return;
          const error = toCodedError(thrown);
          showStatus(this, "trouble", shortText(error));
          this.error(error, {});
        });
      });
    };

    showStatus(this, "waiting", "events-in.status.connecting");
    // Before all flows are started, the nodes behind this one may not listen yet.
    RED.events.once("flows:started", begin);
    this.on("close", (done: () => void) => {
      RED.events.removeListener("flows:started", begin);
      closing.abort();
      // Whoever comes next to this place finds it written.
      (consumer?.stop() ?? Promise.resolve()).finally(leave).then(done, done);
    });
  }
  RED.nodes.registerType("crec-events-in", ConstructEventsIn);
}

/** Types that never carry a proof are no failure of one. */
function isRejected(verification: VerifyResult | undefined): boolean {
  return verification?.verified === false && verification.reason !== "not_verifiable";
}
