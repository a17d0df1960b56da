import type { Node, NodeAPI } from "node-red";
import type { Watcher } from "../../src/index.ts";
import { channelOf } from "../lib/runtime/config-nodes.ts";
import { clientFor, createdOf } from "../lib/runtime/created.ts";
import { withDetails } from "../lib/runtime/details.ts";
import { fieldReader } from "../lib/runtime/field-reader.ts";
import { answer, onInput } from "../lib/runtime/input.ts";
import type { CrecMessage } from "../lib/runtime/message.ts";
import { showStatus } from "../lib/runtime/status.ts";
import { refuseTest } from "../lib/runtime/test-message.ts";
import { type CreateWatcherDef, NODE } from "./fields.ts";
import { requestOf } from "./request.ts";

/** Outputs: ready (once), and status (each change until then). */
export default function register(RED: NodeAPI): void {
  function ConstructCreateWatcher(this: Node, def: CreateWatcherDef): void {
    RED.nodes.createNode(this, def);
    const fields = fieldReader(RED, this, NODE, def);

    onInput(RED, this, def, async ({ msg, send, signal }) => {
      refuseTest(msg, fields);
      showStatus(this, "working", "create-watcher.status.creating");
      const timeoutMs = fields.milliseconds("timeout");
      const channel = channelOf(RED, fields.settings.channel);
      const client = await clientFor(channel.connection(), msg);
      const channelId = fields.of(msg).override("channel") ?? (await channel.resolve(signal));
      const request = await requestOf(RED, fields, msg);

      const report = (watcher: Watcher, found: boolean): CrecMessage => {
        showStatus(this, watcher.status === "active" ? "done" : "working", watcher.status);
        const crec = { channelId, watcherId: watcher.watcher_id, status: watcher.status, found };
        return answer(msg, watcher, crec);
      };
      const { watcher, found } = await client.watchers.createOrFind(channelId, request, { signal });
      // From here on, a Catch node gets the watcher with every error.
      const ids = { channelId, watcherId: watcher.watcher_id };
      msg.crec = withDetails(msg, { ...ids, ...createdOf(client, msg, ids) });
      send(null, statusMessage(report(watcher, found)));
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
    });
  }
  RED.nodes.registerType("crec-create-watcher", ConstructCreateWatcher);
}

function statusMessage(msg: CrecMessage): CrecMessage {
  return { ...msg, topic: `watcher.status/${msg.crec?.status}` };
}
