import { isSameId } from "../../../../src/protocol/ids.ts";
import { watcherKey } from "../answer-cache.ts";
import type { Check, Finding, Scene } from "../check.ts";
import { type RunningReader, readersOf } from "../settings.ts";

/** So long after a new watcher, the node may not have looked again. */
const NEW_MS = 90_000;

/** Events in waits for events that no watcher of its channel sends, as the node itself finds out. */
export const eventUnwatched: Check = {
  name: "event-unwatched",
  find: (scene) =>
    scene.flows.ofType("crec-events-in").flatMap((node): Finding[] => {
      const readers = readersOf(scene.RED, scene.flows.runningIds(node));
      const [missing] = readers.flatMap((reader) => missingNames(reader, scene) ?? []);
      if (missing === undefined) return [];
      const origin = scene.flows.originOf(node);
      const values = { node: origin.label, names: missing };
      const buttons = [{ kind: "refresh" } as const];
      const kind = missing === "" ? "any" : "named";
      return [{ case: kind, severity: "warning", origin, detail: missing, values, buttons }];
    }),
};

/** Empty for any contract event; undefined where nothing is missing, or a new watcher may send it. */
function missingNames({ identity, watcherCheck }: RunningReader, scene: Scene): string | undefined {
  const { unwatched } = watcherCheck;
  if (!unwatched) return undefined;
  const { channelId } = identity;
  const { activity, asked, now } = scene;
  const isNew = activity.watchers.all().some((watcher) => {
    const isSeen = watcher.origin !== undefined && Math.abs(now - watcher.seenAt) < NEW_MS;
    return isSeen && watcher.channelId !== undefined && isSameId(watcher.channelId, channelId);
  });
  const isSent = (name: string) => {
    const answer = asked.events.get(watcherKey(channelId, name));
    return answer?.value === true && Math.abs(now - answer.at) < NEW_MS;
  };
  if (isNew || (unwatched.names.length === 0 && isSent(""))) return undefined;
  const names = unwatched.names.filter((name) => !isSent(name));
  return unwatched.names.length > 0 && names.length === 0 ? undefined : names.join(", ");
}
