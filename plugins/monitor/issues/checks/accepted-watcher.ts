import type { Connection } from "../../../../nodes/common/fields/config-nodes.ts";
import { type Verifying, verifyingNodes } from "../accepted.ts";
import { type ChannelWatchers, channelKey } from "../answer-cache.ts";
import type { Check, Finding, Scene } from "../check.ts";
import { channelOf, isSameService } from "../settings.ts";
import { usedChannels } from "../used-channels.ts";

/**
 * A node accepts only certain watchers, and the service states the workflow id of one for none of them. What the service
 * states instead is never followed: that would let it choose whose events are accepted.
 */
export const acceptedWatcher: Check = {
  name: "accepted-watcher",
  find: (scene) =>
    verifyingNodes(scene.RED, scene.flows).flatMap((verifying): Finding[] => {
      const { node, accepted = [] } = verifying;
      const asked = answersFor(verifying, scene);
      const stated = asked && idsIn(asked.answers);
      if (!asked || !stated) return [];
      const origin = scene.flows.originOf(node);
      return [...accepted]
        .filter((id) => !stated.has(id))
        .map((id) => {
          const values = { node: origin.label, workflow: id, channel: asked.channel ?? "" };
          const kind = asked.channel === undefined ? "any-channel" : "channel";
          return { case: kind, severity: "error", origin, detail: id, values };
        });
    }),
};

type Answers = { channel: string | undefined; answers: Array<ChannelWatchers | undefined> };

/** Those of its channel; of verify event without one, those of all channels of its service. */
function answersFor({ node, connection }: Verifying, { RED, flows, asked }: Scene): Answers | undefined {
  const answerOf = ({ baseUrl }: Connection, label: string) =>
    asked.channels.get(channelKey(baseUrl, label))?.value;
  const channel = channelOf(RED, node);
  if (channel) return { channel: channel.label, answers: [answerOf(connection, channel.label)] };
  // In a subflow, an instance decides it.
  if (node.channel) return undefined;
  const used = usedChannels(RED, flows).filter((one) =>
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
