import type { Node } from "node-red";
import { acceptingOnly } from "../../../nodes/common/fields/accepted-events.ts";
import { channelOf } from "../../../nodes/common/fields/config-nodes.ts";
import { type FormContext, formContext } from "../../../nodes/common/fields/field-reader.ts";
import { onInput } from "../../../nodes/common/fields/input.ts";
import { onFlowsStarted } from "../../../nodes/common/flows/flows-started.ts";
import { loadLibrary } from "../../../nodes/common/library.ts";
import { toldError } from "../../../nodes/common/messages/error-texts.ts";
import { nodeError, toCodedError } from "../../../nodes/common/shared/errors.ts";
import { serviceIdentity } from "../../../nodes/common/shared/text.ts";
import { unsetVariable } from "../../../nodes/common/shared/variables.ts";
import { noteReader } from "../../../nodes/common/status/channel-progress.ts";
import { errorStatus, showStatus, statusText } from "../../../nodes/common/status/status.ts";
import { type EventsInDef, NODE } from "../../../nodes/events-in/fields.ts";
import { openOutputs } from "../../../nodes/events-in/outputs/outputs.ts";
import { type Command, command } from "../../../nodes/events-in/reader/commands.ts";
import { selectionOf } from "../../../nodes/events-in/reader/selection.ts";
import { readerSettings } from "../../../nodes/events-in/reader/settings.ts";
import type { ChannelEvent, Delivery, Refusal } from "../../../src/index.ts";
import type { PastEvent } from "../../shared/job.ts";
import type { ChildHost, RehearsalContext } from "../host.ts";
import { idInFlow } from "../runtime-types.ts";
import { noteAll } from "./acting.ts";
import { PastConsumer } from "./consumer.ts";
import { asTask, currentTask } from "./not-tried.ts";

/** Events in whose events come from the host. It starts at the begin of the span, whatever its form says. */
export function registerEventsIn(rehearsal: RehearsalContext): void {
  const { RED, host } = rehearsal;
  function ConstructEventsIn(this: Node, def: EventsInDef): void {
    RED.nodes.createNode(this, def);
    const context = formContext(RED, this, NODE, def);
    const { closed, t } = context;
    const name = String(def.consumer || this.id);
    let consumer: PastConsumer | undefined;
    const open = async () => {
      const unset = unsetVariable(def);
      if (unset) throw unset;
      consumer = await openConsumer(context, host, name);
      showStatus(this, "done", statusText(t, "events-in.status.connected"));
    };
    const task = { node: idInFlow(this), type: this.type, msg: {}, notTried: [], hasLiveAnswer: false };
    const begin = () => {
      const end = host.begin();
      return asTask(task, open)
        .catch(async (thrown: unknown) => {
          await noteAll(rehearsal, task);
          if (closed.aborted) return;
          const error = toCodedError(thrown);
          showStatus(this, "error", errorStatus(error));
          this.error(toldError(error), {});
        })
        .finally(end);
    };
    // Before all flows are started, the nodes behind this one may not listen yet.
    const forget = onFlowsStarted(RED, () => void begin());
    onInput(context, def, async ({ msg }) => {
      if (!consumer)
        throw nodeError("NOT_CONNECTED", "There is nothing to pause or resume: the channel was not found.");
      const { pause, resume } = { pause: () => consumer?.pause(), resume: () => consumer?.resume() };
      const seek = () =>
        host.note(
          { kind: "call", node: idInFlow(this), text: "seek: ignored in a rehearsal", message: msg },
          msg,
        );
      command({ pause, resume, seek, continueStored: seek }, msg) satisfies Command;
    });
    this.on("close", () => forget());
  }
  RED.nodes.registerType("crec-events-in", ConstructEventsIn);
}

/** @throws what the settings of the node throw, and what resolving its channel throws */
async function openConsumer(
  context: FormContext<typeof NODE>,
  host: ChildHost,
  name: string,
): Promise<PastConsumer> {
  const { RED, node, fields, closed: signal } = context;
  const settings = await readerSettings(context);
  const { filters, delivery, intervals, choices } = settings;
  const channel = channelOf(RED.nodes, fields.settings.channel);
  const connection = channel.connection();
  const channelId = await channel.resolve(signal);
  const [client, library] = await Promise.all([connection.client(), loadLibrary()]);
  const verifier = fields.flag("verify") ? await connection.verifier() : undefined;
  const donFamily = (watcherId: string) => client.watchers.familyOf(channelId, watcherId);
  const byProof = verifier && ((event: ChannelEvent) => verifier.verify(event, { channelId, donFamily }));
  const verify = byProof && acceptingOnly(settings.watchers, byProof, library);
  const { outputs, close } = openOutputs(context, {
    ...{ library, settings, origin: { consumer: name, channelId } },
    consumer: () => consumer,
    onLeft: () => {},
  });
  const { wanted, passes } = selectionOf(filters, {
    ...{ client, channelId, library, pollMaxMs: intervals.pollMaxMs, onChange: () => {} },
    once: (_key, ask) => ask(signal),
  });
  /** By offset. */
  const taken = new Map<number, PastEvent>();
  const notes = ackNotes(host, {
    node: idInFlow(node),
    commit: choices.commit,
    eventAt: (offset) => taken.get(offset),
  });
  const consumer = new PastConsumer({
    ...{ ...delivery, ...intervals, types: filters.types, signal },
    identity: { consumer: name, channelId, service: serviceIdentity(connection.baseUrl) },
    prepare: wanted.prepare,
    filter: passes,
    ...(verify ? { verify } : {}),
    deliver: (given) => outputs.deliver(given),
    onRejected: (given, why) => {
      notes.rejected(given, why);
      outputs.reject(given, why);
    },
    onAnswer: notes.answered,
    onError: (thrown) => node.error(toldError(toCodedError(thrown)), {}),
    begin: () => host.begin(),
  });
  markSent(node, host, taken);
  const end = host.onEvent(channelId, (past) => {
    taken.set(past.event.headers.offset, past);
    notes.taken(past);
    // The flow may change what it gets, and others get the same event.
    consumer.take(structuredClone(past.event));
  });
  const leave = library.noteAckReceiver(consumer);
  const levels = library.levelSource(client, channelId);
  let readUpTo: number | undefined;
  // What an alert was made of was taken before.
  const taking = { isSettled: (eventId: string) => !consumer.isInFlight(eventId) };
  const reading = () => {
    if (consumer.isIdle && outputs.inFlow.count === 0) readUpTo = Date.now();
    return { identity: consumer.identity, readUpTo, levels, consumer: taking };
  };
  const channelNode = fields.settings.channel ?? "";
  const { id, name: label = name } = node;
  const forget = noteReader({ node: id, label, channelNode, consumer: name, isAway: () => false, reading });
  signal.addEventListener("abort", () => {
    end();
    leave();
    forget();
    close();
  });
  return consumer;
}

/** Each message that leaves belongs to its event. */
function markSent(node: Node, host: ChildHost, taken: ReadonlyMap<number, PastEvent>): void {
  const send = node.send.bind(node);
  node.send = (messages) => {
    for (const msg of Array.isArray(messages) ? messages : [messages]) {
      const past = taken.get((msg as { crec?: { offset?: number } } | null)?.crec?.offset ?? -1);
      if (past) host.mark(msg as object, past);
    }
    send(messages as Parameters<typeof send>[0]);
  };
}

type Options = {
  /** The id of the events in node. */
  node: string;
  commit: "on-send" | "on-complete" | "on-ack";
  eventAt: (offset: number) => PastEvent | undefined;
};

/** Notes what becomes of events: at the node `ack` where it says so, else at the events in node that sent them. */
function ackNotes(host: ChildHost, { node, commit, eventAt }: Options) {
  const byId = new Map<string, PastEvent>();
  const note = (text: string, past: PastEvent | undefined, message: Record<string, unknown>): void => {
    const task = currentTask();
    const isByNode = task?.type === "crec-ack";
    const msg = isByNode ? task.msg : {};
    if (past && !isByNode) host.mark(msg, past);
    host.note({ kind: "ack", node: isByNode ? task.node : node, text, message }, msg);
  };
  return {
    taken: (past: PastEvent): void => {
      byId.set(past.event.event_id, past);
    },
    answered: (eventId: string, refusal: Refusal | undefined): void => {
      // A flow that completes an event does what is expected of it.
      if (refusal === undefined && commit !== "on-ack") return;
      note(textOf(refusal), byId.get(eventId), { eventId, ...refusal });
    },
    rejected: ({ event, offset, attempt }: Delivery, why: string): void =>
      note(`rejected: ${why}`, eventAt(offset), { eventId: event.event_id, attempt, reason: why }),
  };
}

function textOf(refusal: Refusal | undefined): string {
  if (refusal === undefined) return "acknowledged";
  const why = refusal.reason === undefined ? "" : `: ${refusal.reason}`;
  return `refused${why}`;
}
