import type { Node, NodeAPI } from "node-red";
import type { CrecClient, Watcher } from "../../src/index.ts";
import { canonicalId } from "../../src/protocol/ids.ts";
import { channelOf } from "../common/fields/config-nodes.ts";
import { formContext } from "../common/fields/field-reader.ts";
import { answer, onInput, type Task } from "../common/fields/input.ts";
import { clientFor, createdOf } from "../common/messages/created.ts";
import type { CrecMessage } from "../common/messages/message.ts";
import { refuseTest, withDetails } from "../common/messages/message.ts";
import { serviceStatus } from "../common/messages/service-words.ts";
import { setNewest } from "../common/shared/collections.ts";
import { showStatus, statusText } from "../common/status/status.ts";
import { requireSameService } from "../common/tasks/durable-task.ts";
import { originOf } from "../common/telemetry/origin.ts";
import { noteWatcher } from "../common/telemetry/resources.ts";
import { type CreateWatcherDef, NODE } from "./fields.ts";
import { otherReadings } from "./other-readings.ts";
import { requestOf } from "./request.ts";

/** A watcher that was created or found, as it is kept while the node waits for it. */
type CreatedWatcher = { channelId: string; watcher: Watcher; found: boolean };

/** Pairs of watchers that the log has named. */
const MOST_WARNED = 1_000;

/** Outputs: ready (once), and status (each change until then). */
export default function register(RED: NodeAPI): void {
  function ConstructCreateWatcher(this: Node, def: CreateWatcherDef): void {
    RED.nodes.createNode(this, def);
    const context = formContext(RED, this, NODE, def);
    const { fields, t } = context;
    const warned = new Map<string, true>();

    /** Says once of each pair of watchers that they would read one event differently. */
    const warn = async (
      client: CrecClient,
      channelId: string,
      about: Parameters<typeof otherReadings>[2],
    ) => {
      for (const { watcherId, name, reading } of await otherReadings(client, channelId, about)) {
        const pair = `${channelId} ${watcherId} ${about.request.name}`;
        if (warned.has(pair)) continue;
        setNewest(warned, pair, true, MOST_WARNED);
        const values = { other: name, event: reading.text, watcher: about.request.name };
        this.warn(t("create-watcher.warning.reads-differently", values));
      }
    };

    /** Creates or finds the watcher, and shows its status. */
    const create = async ({ msg, signal }: Task, client: CrecClient): Promise<CreatedWatcher> => {
      showStatus(this, "working", statusText(t, "create-watcher.status.creating"));
      const channel = channelOf(RED.nodes, fields.settings.channel);
      const channelId = fields.of(msg).override("channel") ?? (await channel.resolve(signal));
      const request = await requestOf(context, msg);
      // Looked for by itself, so that nothing else is asked where it exists, or where the service cannot be reached.
      const isNew = !(await client.watchers.findByName(channelId, request.name, { signal }));
      if (isNew) await warn(client, channelId, { request, signal });
      const { watcher, found } = await client.watchers.createOrFind(channelId, request, { signal });
      // From here on, a Catch node gets the watcher with every error.
      const ids = { channelId, watcherId: watcher.watcher_id };
      msg.crec = withDetails(msg, { ...ids, ...createdOf(client, msg, ids) });
      return { channelId, watcher, found };
    };

    const act = async (task: Task): Promise<void> => {
      const { msg, send, signal, kept } = task;
      if (!kept) refuseTest(msg, fields);
      const timeoutMs = fields.milliseconds("timeout");
      const connection = channelOf(RED.nodes, fields.settings.channel).connection();
      const client = await clientFor(connection, msg);
      if (kept) requireSameService(kept, connection);
      const created = kept ? (kept.about as CreatedWatcher) : await create(task, client);
      const { channelId, watcher, found } = created;
      const report = (watcher: Watcher, found: boolean): CrecMessage => {
        noteWatcher(watcher, { service: connection.baseUrl, origin: originOf(this) });
        showStatus(this, watcher.status === "active" ? "done" : "working", serviceStatus(t, watcher.status));
        const crec = { channelId, watcherId: watcher.watcher_id, status: watcher.status, found };
        return answer(msg, watcher, crec);
      };
      send(null, statusMessage(report(watcher, found)));
      if (timeoutMs !== 0)
        await task.keep({ id: canonicalId(watcher.watcher_id), connection, about: created });
      const ready =
        timeoutMs === 0
          ? watcher
          : await client.watchers.waitFor(channelId, watcher.watcher_id, {
              target: "active",
              timeoutMs,
              signal,
              onStatus: (latest: Watcher) => {
                if (latest.status !== watcher.status) send(null, statusMessage(report(latest, found)));
              },
            });
      send(report(ready, found), null);
    };
    onInput(context, def, act, { resumes: () => fields.flag("resume") });
  }
  RED.nodes.registerType("crec-create-watcher", ConstructCreateWatcher);
}

function statusMessage(msg: CrecMessage): CrecMessage {
  return { ...msg, topic: `watcher.status/${msg.crec?.status}` };
}
