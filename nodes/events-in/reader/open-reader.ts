import type { ChannelEvent } from "../../../src/index.ts";
import { acceptingOnly } from "../../common/fields/accepted-events.ts";
import { channelOf } from "../../common/fields/config-nodes.ts";
import { loadLibrary } from "../../common/library.ts";
import { errorText, toldError } from "../../common/messages/error-texts.ts";
import { toCodedError } from "../../common/shared/errors.ts";
import { serviceIdentity } from "../../common/shared/text.ts";
import { reportContradiction } from "../../common/telemetry/event-report.ts";
import type { EventsInContext } from "../context.ts";
import { requireStore } from "../context-store.ts";
import { openCursorStore, type SharedCursor } from "../cursor-store.ts";
import { awaitPosition } from "../fleet/lost-cursor.ts";
import type { Hold } from "../hold.ts";
import { openOutputs } from "../outputs/outputs.ts";
import { startText } from "../start-text.ts";
import { CopiesNote, noteOnStore } from "../status/notes.ts";
import type { ReaderActivity } from "../status/reader-activity.ts";
import { PositionStore, type ProofTimes, timed } from "../status/reader-activity.ts";
import { awaitChannel, isExpected } from "./await-channel.ts";
import { contradictedLog, findLastEvents } from "./last-event.ts";
import { Reader } from "./reader.ts";
import { selectionOf } from "./selection.ts";
import { readerSettings } from "./settings.ts";

type Opening = {
  show: () => void;
  signal: AbortSignal;
  watched: ReaderActivity;
  hold: Hold;
  /** With a cursor that several copies share. */
  cursor?: SharedCursor | undefined;
};

/** A reader of the node's channel, as soon as there is one; not started yet. */
export async function openReader(
  context: EventsInContext,
  { show, signal, hold, cursor, watched }: Opening,
): Promise<Reader> {
  const { RED, node, t, name, fields } = context;
  let isPositionAwaited = false;
  const settings = await readerSettings(context);
  const { filters, start, delivery, intervals, watchers } = settings;
  const channel = channelOf(RED.nodes, fields.settings.channel);
  const connection = channel.connection();
  const contextStore = fields.settings.store;
  if (contextStore && !cursor) {
    requireStore(RED, contextStore);
    noteOnStore(context, contextStore);
  }
  const channelId = await awaitChannel(context, channel, signal, (waitsFor) => watched.waitFor(waitsFor));
  const client = await connection.client();
  const verifier = fields.flag("verify") ? await connection.verifier() : undefined;
  const donFamily = (watcherId: string) => client.watchers.familyOf(channelId, watcherId);
  const proofTimes: ProofTimes = new WeakMap();
  const library = await loadLibrary();
  const byProof = verifier && ((event: ChannelEvent) => verifier.verify(event, { channelId, donFamily }));
  const verify = byProof && timed(acceptingOnly(watchers, byProof, library), proofTimes);

  const inContext = Boolean(contextStore);
  const copies = new CopiesNote(context, {
    ...{ consumer: name, channelId, isFleet: cursor !== undefined, inContext, onChange: show },
  });
  const identity = { consumer: name, channelId, service: serviceIdentity(connection.baseUrl) };
  const { store, noted, place } = openCursorStore(RED, node, {
    ...{ library, identity, contextStore, files: hold.files, cursor, start },
    onOtherWriter: () => copies.note("cursor"),
  });
  const positions = new PositionStore(noted);
  const { types } = filters;
  const channelReader = library.joinChannel(
    client.events,
    channelId,
    types.length === 1 ? { type: types[0] } : {},
  );
  const { source, pace, once } = channelReader;
  const { outputs, units, ...opened } = openOutputs(context, {
    ...{ library, settings, origin: { consumer: name, channelId } },
    consumer: () => consumer,
    onLeft: (left) => watched.noteEvent({ ...left, channelId, service: connection.baseUrl, proofTimes }),
  });
  const close = () => {
    opened.close();
    copies.close();
    channelReader.leave();
  };
  if (signal.aborted) close();
  signal.addEventListener("abort", close);

  const { pollMaxMs } = intervals;
  const selection = selectionOf(filters, { client, channelId, library, once, pollMaxMs, onChange: show });
  const { wanted, passes, lower, watcherCheck } = selection;
  const consumer = new library.EventConsumer({
    ...delivery,
    ...intervals,
    ...{ source, pace, identity, start, types },
    store: positions,
    ...(cursor ? { lease: cursor.lease } : {}),
    prepare: wanted.prepare,
    filter: passes,
    ...(verify ? { verify } : {}),
    deliver: hold.guard((delivery) => outputs.deliver(delivery)),
    onRestored: (upTo) => node.warn(t("events-in.warning.restored", { consumer: name, upTo })),
    onSuspects: (offsets) => node.warn(t(`events-in.warning.suspects${cursor ? "-of-copy" : ""}`, offsets)),
    onRejected: hold.guard((delivery, why) => {
      const { offset, crashes: count } = delivery;
      if (count === undefined) return outputs.reject(delivery, why);
      node.warn(t("events-in.warning.crashes", { offset, count }));
      outputs.reject(delivery, t("events-in.rejection.crashes", { count }));
    }),
    onStart: (started) => {
      reader.started = started;
      if (started.from !== "stored") outputs.cursorMoved();
      const text = { start: "events-in.log.starts", seek: "events-in.log.moved", stored: undefined }[
        started.from
      ];
      const where = startText(t, started);
      if (text) node.log(t(text, { consumer: name, place, where }));
    },
    onState: show,
    onError: (thrown) => {
      // The cursor belongs to another process now, and the node's status reports that.
      if (hold.over?.aborted) return;
      const error = toCodedError(thrown);
      reader.noteError(error);
      // A Catch node would keep it out of the log.
      if (error.code === "CURSOR_LOST") {
        node.warn(errorText(error));
        // What waits already goes on while the cursor is lost, also where it is lost again.
        if (cursor && !isPositionAwaited) {
          isPositionAwaited = true;
          void awaitPosition({ ...cursor, key: cursor.lease.key, consumer, signal }).finally(() => {
            isPositionAwaited = false;
          });
        }
      }
      if (!isExpected(error)) node.error(toldError(error), {});
    },
  });
  void watcherCheck.run(signal);
  const reader = new Reader(consumer, {
    ...{ store, identity, outputs, units, watcherCheck, channelReader, copies, lower },
    position: () => positions.position,
    levels: library.levelSource(client, channelId),
    ...(cursor ? { epoch: cursor.lease.epoch } : {}),
    sendLast: async () => {
      const source = { events: client.events, channelId, signal };
      const found = await findLastEvents({ filters, wanted }, source);
      const [newest] = found;
      if (newest === undefined) return { none: true };
      const verification = await verify?.(newest);
      const log =
        verify && verification?.verified ? await contradictedLog(found, verify, library) : undefined;
      if (log !== undefined) reportContradiction({ node, t: RED._ }, log);
      return outputs.sendTest(newest, verification, log !== undefined);
    },
  });
  return reader;
}
