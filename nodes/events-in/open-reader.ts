import type { Node, NodeAPI } from "node-red";
import type { Delivery } from "../../src/index.ts";
import { channelOf } from "../lib/config-nodes.ts";
import { toCodedError } from "../lib/errors.ts";
import { isRejected, toMessage } from "../lib/event-message.ts";
import { loadLibrary } from "../lib/library.ts";
import { channelWhenThere } from "./channel-when-there.ts";
import { ContextCursorStore, requireStore } from "./context-store.ts";
import { Attempts } from "./flow/attempts.ts";
import { useFlowWork } from "./flow/flow-work.ts";
import { FlowWindow } from "./flow/window.ts";
import { type InFlow, Reader } from "./reader.ts";
import {
  choicesOf,
  cursorPath,
  deliveryOf,
  type EventsInDef,
  pollIntervals,
  serviceIdentity,
  startOf,
  unfinishedOf,
} from "./settings.ts";
import { wantedOf } from "./wanted.ts";
import { filterOf } from "./watchers.ts";

type Opening = { name: string; show: () => void; signal: AbortSignal };

/** A reader of the node's channel, as soon as there is one; not started yet. */
export async function openReader(
  RED: NodeAPI,
  node: Node,
  def: EventsInDef,
  { name, show, signal }: Opening,
): Promise<Reader> {
  // Whatever is wrong with the form is said before anything is asked for.
  const { unverified, commit } = choicesOf(def);
  const unfinished = unfinishedOf(def);
  const [start, wanted] = [startOf(def), await wantedOf(RED, node, def)];
  const channel = channelOf(RED, def.channel);
  const connection = channel.connection();
  if (def.store) requireStore(RED, def.store);
  const channelId = await channelWhenThere(RED, node, channel, signal);
  const client = await connection.client();
  const verifier = def.verify ? await connection.verifier() : undefined;
  const library = await loadLibrary();
  const store = def.store
    ? new ContextCursorStore(node, name, def.store)
    : new library.FileCursorStore({ path: cursorPath(RED, name) });
  const identity = { consumer: name, channelId, service: serviceIdentity(connection.baseUrl) };

  const origin = { channelId, ...(commit === "on-send" ? {} : { consumer: name }) };
  const { flowWork, leave } = useFlowWork(RED);
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave);
  const attempts = new Attempts(flowWork, () => consumer);
  const window = new FlowWindow({
    ...{ flowWork, limit: unfinished, onChange: show },
    onSilence: () => node.warn(RED._("events-in.warning.silent-flow", { count: unfinished })),
  });
  const hand = (delivery: Delivery & { rejection?: string }, rejected: boolean): void => {
    const msg = toMessage(delivery, origin, library);
    const send = () => node.send(rejected ? [null, msg] : [msg, null]);
    if (commit === "on-send") window.send(msg, send);
    else if (commit === "on-complete" && delivery.rejection === undefined) attempts.send(msg, delivery, send);
    else send();
  };
  const consumer = new library.EventConsumer({
    ...deliveryOf(def),
    ...pollIntervals(def),
    source: library.eventSource(client.events, channelId),
    store,
    identity,
    start,
    types: wanted.types,
    ...filterOf(wanted, { client, channelId, library }),
    ...(verifier ? { verify: (event) => verifier.verify(event, { channelId }) } : {}),
    deliver: (delivery) => {
      const rejected = isRejected(delivery.verification);
      if (!rejected || unverified === "pass") return hand(delivery, false);
      if (unverified === "drop") reader.noteDropped();
      else hand(delivery, true);
      // Nobody is going to acknowledge what never left by the first port.
      if (commit === "on-ack" || unverified === "drop") consumer.ack(delivery.event.event_id);
    },
    untilReady: (aborted) => window.untilRoom(aborted),
    onRejected: (delivery, why) => {
      attempts.forget(delivery.event.event_id);
      hand({ ...delivery, rejection: why }, true);
    },
    onState: show,
    onError: (thrown) => {
      const error = toCodedError(thrown);
      reader.noteError(error);
      // What is not there yet is waited for, and the status says so.
      if (error.code !== "CHANNEL_NOT_FOUND" && error.code !== "WATCHER_NOT_FOUND") node.error(error, {});
    },
  });
  const inFlow = (): InFlow => {
    if (commit === "on-send") return { count: window.size, holdsUp: window.isFull };
    const { state } = consumer;
    const count = commit === "on-complete" && state.kind === "connected" ? state.waitingForAcks : 0;
    return { count, holdsUp: count > 0 };
  };
  const reader = new Reader(consumer, { store, identity, inFlow });
  return reader;
}
