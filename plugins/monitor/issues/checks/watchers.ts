import type { Connection } from "../../../../nodes/common/fields/config-nodes.ts";
import type { FlowNode } from "../../../../nodes/common/flows/flows.ts";
import type { ResourceReport } from "../../../../nodes/common/telemetry/types.ts";
import { isSameId, isUuid } from "../../../../src/protocol/ids.ts";
import { type ChannelWatchers, channelKey, watcherKey } from "../answer-cache.ts";
import {
  type Check,
  type CheckContext,
  type Finding,
  isSameService,
  type RunningReader,
} from "../check-context.ts";
import { usedChannels, type Verifying, verifyingNodes } from "../deployed.ts";

const BUTTONS = [{ kind: "refresh" }] as const;

/** A watcher that events in waits for is missing, failed or archived. */
export const watcherState: Check = {
  name: "watcher-state",
  find: (context) => context.flows.ofType("crec-events-in").flatMap((node) => findingsOf(node, context)),
};

function findingsOf(node: FlowNode, context: CheckContext): Finding[] {
  const { flows } = context;
  const readers = context.readersOf(node);
  const origin = flows.originOf(node);
  return (context.namesOf(node, "watcher") ?? []).flatMap((watcher): Finding[] =>
    readers.flatMap(({ identity, consumer }): Finding[] => {
      const { kind, error } = consumer.state;
      const isWaitedFor = error?.code === "WATCHER_NOT_FOUND" && error.message.includes(`"${watcher}"`);
      // It looks up names before it reads, and nobody else may tell when a name has appeared.
      const isFound = kind === "connected" && !isUuid(watcher);
      const state = stateOf(watcher, { channelId: identity.channelId, isWaitedFor, isFound }, context);
      if (!state) return [];
      const severity = state.case === "archived" ? "warning" : "error";
      const { name, reason = "" } = state;
      const values = { node: origin.label, watcher: name || watcher, reason };
      return [{ case: state.case, severity, origin, detail: watcher, values, buttons: BUTTONS }];
    }),
  );
}

type State = { case: "missing" | "failed" | "failed-reason" | "archived"; name?: string; reason?: string };

function stateOf(
  watcher: string,
  { channelId, isWaitedFor, isFound }: { channelId: string; isWaitedFor: boolean; isFound: boolean },
  { activity, answers }: Pick<CheckContext, "activity" | "answers">,
): State | undefined {
  const isIt = ({ id, name }: ResourceReport) => (isUuid(watcher) ? isSameId(id, watcher) : name === watcher);
  const seen = activity.watchers
    .all()
    .filter((one) => one.channelId !== undefined && isSameId(one.channelId, channelId) && isIt(one));
  const answer = answers.watchers.get(watcherKey(channelId, watcher));
  const isSeenSince = seen.some(({ seenAt }) => seenAt > (answer?.at ?? 0));
  if (answer?.value === false && !isSeenSince && !isFound) return { case: "missing" };
  // Where several have had the name, one that works is enough. The node may not have found a new one yet.
  if (seen.some(({ status }) => status === "active" || status === "pending")) return undefined;
  if (isWaitedFor && answer?.value !== true) return { case: "missing" };
  const last = seen.toSorted((one, other) => one.seenAt - other.seenAt).at(-1);
  if (last?.status === "failed") {
    const { name, reason } = last;
    return reason ? { case: "failed-reason", name, reason } : { case: "failed", name };
  }
  const isArchived = last?.status === "archived" || last?.status === "archiving";
  return isArchived ? { case: "archived", name: last.name } : undefined;
}

/** So long after a new watcher, the node may not have looked again. */
const NEW_MS = 90_000;

/** Events in waits for events that no watcher of its channel sends, as the node itself finds out. */
export const eventUnwatched: Check = {
  name: "event-unwatched",
  find: (context) =>
    context.flows.ofType("crec-events-in").flatMap((node): Finding[] => {
      const readers = context.readersOf(node);
      const [missing] = readers.flatMap((reader) => missingNames(reader, context) ?? []);
      if (missing === undefined) return [];
      const origin = context.flows.originOf(node);
      const values = { node: origin.label, names: missing };
      const buttons = [{ kind: "refresh" } as const];
      const kind = missing === "" ? "any" : "named";
      return [{ case: kind, severity: "warning", origin, detail: missing, values, buttons }];
    }),
};

/** Empty for any contract event; undefined where nothing is missing, or a new watcher may send it. */
function missingNames({ identity, watcherCheck }: RunningReader, context: CheckContext): string | undefined {
  const { unwatched } = watcherCheck;
  if (!unwatched) return undefined;
  const { channelId } = identity;
  const { activity, answers, now } = context;
  const isNew = activity.watchers.all().some((watcher) => {
    const isSeen = watcher.origin !== undefined && Math.abs(now - watcher.seenAt) < NEW_MS;
    return isSeen && watcher.channelId !== undefined && isSameId(watcher.channelId, channelId);
  });
  const isSent = (name: string) => {
    const answer = answers.events.get(watcherKey(channelId, name));
    return answer?.value === true && Math.abs(now - answer.at) < NEW_MS;
  };
  if (isNew || (unwatched.names.length === 0 && isSent(""))) return undefined;
  const names = unwatched.names.filter((name) => !isSent(name));
  return unwatched.names.length > 0 && names.length === 0 ? undefined : names.join(", ");
}

/**
 * A node accepts only certain watchers, and the service states the workflow id of one for none of them. What the service
 * states instead is never followed: that would let it choose whose events are accepted.
 */
export const acceptedWatcher: Check = {
  name: "accepted-watcher",
  find: (context) =>
    verifyingNodes(context).flatMap((verifying): Finding[] => {
      const { node, accepted = [] } = verifying;
      const of = answersFor(verifying, context);
      const stated = of && idsIn(of.answers);
      if (!of || !stated) return [];
      const origin = context.flows.originOf(node);
      return [...accepted]
        .filter((id) => !stated.has(id))
        .map((id) => {
          const values = { node: origin.label, workflow: id, channel: of.channel ?? "" };
          const kind = of.channel === undefined ? "any-channel" : "channel";
          return { case: kind, severity: "error", origin, detail: id, values };
        });
    }),
};

type Answers = { channel: string | undefined; answers: Array<ChannelWatchers | undefined> };

/** Those of its channel; of verify event without one, those of all channels of its service. */
function answersFor({ node, connection }: Verifying, context: CheckContext): Answers | undefined {
  const { answers } = context;
  const answerOf = ({ baseUrl }: Connection, label: string) =>
    answers.channels.get(channelKey(baseUrl, label))?.value;
  const channel = context.channelOf(node);
  if (channel) return { channel: channel.label, answers: [answerOf(connection, channel.label)] };
  // In a subflow, an instance decides it.
  if (node.channel) return undefined;
  const used = usedChannels(context).filter((one) =>
    isSameService(one.connection.baseUrl, connection.baseUrl),
  );
  return { channel: undefined, answers: used.map((one) => answerOf(one.connection, one.label)) };
}

/** All ids that are stated; undefined where others may be: not asked about, not listed, or not stated by this service. */
function idsIn(answers: ReadonlyArray<ChannelWatchers | undefined>): ReadonlySet<string> | undefined {
  if (answers.length === 0 || !answers.every((one) => one?.isWhole)) return undefined;
  const watchers = answers.flatMap((one) => one?.watchers ?? []);
  const ids = new Set(watchers.flatMap(({ workflowId }) => workflowId ?? []));
  return ids.size === 0 && watchers.length > 0 ? undefined : ids;
}
