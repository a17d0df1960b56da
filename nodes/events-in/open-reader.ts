import type { Node, NodeAPI } from "node-red";
import type { ChannelEvent } from "../../src/index.ts";
import { channelOf, contractOf } from "../lib/runtime/config-nodes.ts";
import { isKnownType, toMessage } from "../lib/runtime/event-message.ts";
import { eventDecoder } from "../lib/runtime/event-tokens.ts";
import { guarded } from "../lib/runtime/folder/guard.ts";
import type { Tenure } from "../lib/runtime/folder/tenure.ts";
import { loadLibrary } from "../lib/runtime/library.ts";
import { serviceIdentity } from "../lib/runtime/service-identity.ts";
import { toCodedError } from "../lib/shared/errors.ts";
import { awaitChannel, isExpected } from "./await-channel.ts";
import { requireStore } from "./context-store.ts";
import { CopiesNote } from "./copies-note.ts";
import { filtersOf } from "./filters.ts";
import type { SharedCursor } from "./fleet/shared-cursor.ts";
import { useFlowWork } from "./flow/flow-work.ts";
import { findLastEvent } from "./last-event.ts";
import { DEEPEST } from "./nesting.ts";
import { NotedStore } from "./noted-store.ts";
import { Outputs } from "./outputs.ts";
import { ownStore } from "./own-store.ts";
import { RanBefore } from "./ran-before.ts";
import { Reader } from "./reader.ts";
import {
  cursorLocation,
  deliveryOf,
  type EventsInFields,
  outputChoices,
  pollIntervals,
  startOf,
} from "./settings.ts";
import { startText } from "./start-text.ts";
import { noteOnStore, storeOf } from "./store-note.ts";
import { UnitsNote } from "./units-note.ts";
import { findUnwatched, WatcherCheck } from "./unwatched.ts";
import { wantedOf } from "./watchers.ts";

type Opening = {
  name: string;
  show: () => void;
  signal: AbortSignal;
  /** With a cursor in a file: the time during which this process holds the file's folder. */
  tenure?: Tenure | undefined;
  /** With a cursor that several copies share. */
  cursor?: SharedCursor | undefined;
};

/** A reader of the node's channel, as soon as there is one; not started yet. */
export async function openReader(
  RED: NodeAPI,
  node: Node,
  fields: EventsInFields,
  { name, show, signal, tenure, cursor }: Opening,
): Promise<Reader> {
  // All settings are checked before anything is sent.
  const choices = outputChoices(fields);
  const unfinished = fields.number("unfinished");
  const contract = fields.settings.contract ? contractOf(RED, fields.settings.contract) : undefined;
  const chosen = contract && { contract, abi: await contract.abi() };
  const [start, filters] = [startOf(fields), await filtersOf(fields, contract)];
  const [delivery, intervals] = [deliveryOf(fields), pollIntervals(fields)];
  const channel = channelOf(RED, fields.settings.channel);
  const connection = channel.connection();
  const contextStore = fields.settings.store;
  if (contextStore && !cursor) {
    requireStore(RED, contextStore);
    noteOnStore(RED, node, contextStore);
  }
  const channelId = await awaitChannel(RED, node, channel, signal);
  const client = await connection.client();
  const verifier = fields.flag("verify") ? await connection.verifier() : undefined;
  const donFamily = (watcherId: string) => client.watchers.familyOf(channelId, watcherId);
  const library = await loadLibrary();
  const copies = new CopiesNote(RED, node, {
    ...{
      consumer: name,
      channelId,
      isFleet: cursor !== undefined,
      inContext: Boolean(contextStore),
      onChange: show,
    },
  });
  const onOtherWriter = () => copies.note("cursor");
  const store = cursor?.store ?? ownStore(RED, node, library, { name, contextStore, tenure, onOtherWriter });
  const units = new UnitsNote(RED, library);
  const decode = eventDecoder(RED, library, chosen);
  const decodeEvent = (event: ChannelEvent) => {
    const decoded = decode(event);
    units.note(decoded);
    return decoded;
  };
  const decoding = { ...library, decodeEvent };
  const identity = { consumer: name, channelId, service: serviceIdentity(connection.baseUrl) };
  const place = cursor?.place ?? cursorLocation(RED, contextStore, name);
  // A store in memory loses the cursor at each restart, as its user has chosen.
  const isLasting = cursor || !contextStore || storeOf(RED, contextStore).module !== "memory";
  const notedStore = isLasting
    ? new NotedStore({
        ...{ store, start, place, ranBefore: new RanBefore(RED, node, identity) },
        onStartsOver: () => node.warn(RED._("events-in.warning.starts-over", { consumer: name, place })),
      })
    : store;

  const origin = { channelId, ...(choices.commit === "on-send" ? {} : { consumer: name }) };
  const { types } = filters;
  const shared = library.joinChannel(client.events, channelId, types.length === 1 ? { type: types[0] } : {});
  const { source, pace, once } = shared;
  const { flowWork, leave } = useFlowWork(RED);
  const outputs = new Outputs({
    ...{ node, flowWork, unfinished, choices, onChange: show },
    toMessage: (delivery) => toMessage(delivery, origin, decoding),
    isKnownType: (event) => isKnownType(event, library),
    isAskedFor: ({ headers }) => filters.types.some((type) => type === headers.type),
    onUnseenNotice: ({ headers: { type } }) => node.warn(RED._("events-in.warning.unseen-notice", { type })),
    consumer: () => consumer,
    onSilence: () => node.warn(RED._("events-in.warning.silent-flow", { count: unfinished })),
    tooDeep: RED._("events-in.rejection.depth", { levels: DEEPEST }),
    onLost: (offset, why) => node.warn(RED._("events-in.warning.given-up", { offset, why })),
  });
  const close = () => {
    outputs.close();
    copies.close();
    leave();
    shared.leave();
  };
  if (signal.aborted) close();
  signal.addEventListener("abort", close);
  const wanted = wantedOf(filters, { client, channelId, library, once });
  const watcherCheck = new WatcherCheck(
    (aborted, maxAgeMs) => findUnwatched(filters, { client, channelId, once }, { signal: aborted, maxAgeMs }),
    show,
    { pollMaxMs: intervals.pollMaxMs },
  );
  let lower = 0;
  const passes = (event: ChannelEvent): boolean => {
    watcherCheck.note(event);
    if (!wanted.matches(event)) return false;
    const isConfident = wanted.isConfident(event);
    if (!isConfident) lower += 1;
    return isConfident;
  };
  const verify = verifier && ((event: ChannelEvent) => verifier.verify(event, { channelId, donFamily }));
  const consumer = new library.EventConsumer({
    ...delivery,
    ...intervals,
    ...{ source, pace },
    store: notedStore,
    identity,
    ...(cursor ? { lease: cursor.lease } : {}),
    start,
    types: filters.types,
    prepare: wanted.prepare,
    filter: passes,
    ...(verify ? { verify } : {}),
    untilReady: (aborted) => outputs.untilRoom(aborted),
    deliver: guarded(tenure, (delivery) => outputs.deliver(delivery)),
    onRestored: (upTo) => node.warn(RED._("events-in.warning.restored", { consumer: name, upTo })),
    onSuspects: (offsets) =>
      node.warn(RED._(`events-in.warning.suspects${cursor ? "-of-copy" : ""}`, offsets)),
    onRejected: guarded(tenure, (delivery, why) => {
      const { offset, crashes: count } = delivery;
      if (count === undefined) return outputs.reject(delivery, why);
      node.warn(RED._("events-in.warning.crashes", { offset, count }));
      outputs.reject(delivery, RED._("events-in.rejection.crashes", { count }));
    }),
    onStart: (started) => {
      reader.started = started;
      const text = { start: "events-in.log.starts", seek: "events-in.log.moved", stored: undefined }[
        started.from
      ];
      const where = startText(RED._, started);
      if (text) node.log(RED._(text, { consumer: name, place, where }));
    },
    onState: show,
    onError: (thrown) => {
      // The cursor belongs to another process now, and the node's status reports that.
      if (tenure?.over.aborted || cursor?.lease.over.aborted) return;
      const error = toCodedError(thrown);
      reader.noteError(error);
      // A Catch node would keep it out of the log.
      if (error.code === "CURSOR_LOST") node.warn(error.message);
      if (!isExpected(error)) node.error(error, {});
    },
  });
  void watcherCheck.run(signal);
  const reader = new Reader(consumer, {
    ...{ store, identity, outputs, units, watcherCheck, shared, copies },
    ...(cursor ? { epoch: cursor.lease.epoch } : {}),
    lower: () => lower,
    sendLast: async () => {
      const found = await findLastEvent(
        { filters, wanted },
        { events: client.events, channelId, library, signal },
      );
      return found ? outputs.sendTest(found, await verify?.(found)) : { none: true };
    },
  });
  return reader;
}
