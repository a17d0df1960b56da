import type { FlowNode } from "../../../../nodes/common/flows/flows.ts";
import type { ResourceReport } from "../../../../nodes/common/telemetry/types.ts";
import { isSameId, isUuid } from "../../../../src/protocol/ids.ts";
import { watcherKey } from "../answer-cache.ts";
import type { Check, Finding, Scene } from "../check.ts";
import { namesOf, readersOf } from "../settings.ts";

const BUTTONS = [{ kind: "refresh" }] as const;

/** A watcher that events in waits for is missing, failed or archived. */
export const watcherState: Check = {
  name: "watcher-state",
  find: (scene) => scene.flows.ofType("crec-events-in").flatMap((node) => findingsOf(node, scene)),
};

function findingsOf(node: FlowNode, scene: Scene): Finding[] {
  const { RED, flows } = scene;
  const readers = readersOf(RED, flows.runningIds(node));
  const origin = flows.originOf(node);
  return (namesOf(RED, node, "watcher") ?? []).flatMap((watcher): Finding[] =>
    readers.flatMap(({ identity, consumer }): Finding[] => {
      const { kind, error } = consumer.state;
      const isWaitedFor = error?.code === "WATCHER_NOT_FOUND" && error.message.includes(`"${watcher}"`);
      // It looks up names before it reads, and nobody else may tell when a name has appeared.
      const isFound = kind === "connected" && !isUuid(watcher);
      const state = stateOf(watcher, { channelId: identity.channelId, isWaitedFor, isFound }, scene);
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
  { activity, asked }: Pick<Scene, "activity" | "asked">,
): State | undefined {
  const isIt = ({ id, name }: ResourceReport) => (isUuid(watcher) ? isSameId(id, watcher) : name === watcher);
  const seen = activity.watchers
    .all()
    .filter((one) => one.channelId !== undefined && isSameId(one.channelId, channelId) && isIt(one));
  const answer = asked.watchers.get(watcherKey(channelId, watcher));
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
