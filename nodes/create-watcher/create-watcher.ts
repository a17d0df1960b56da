import type { Node, NodeAPI, NodeDef } from "node-red";
import type { CreateWatcher, Watcher } from "../../src/index.ts";
import { channelOf, contractOf } from "../lib/config-nodes.ts";
import { nodeError } from "../lib/errors.ts";
import { channelOverride, readField, requireText } from "../lib/fields.ts";
import { answer, type CrecMessage, onInput } from "../lib/input.ts";
import { loadLibrary } from "../lib/library.ts";
import { showStatus } from "../lib/status.ts";

export type CreateWatcherDef = NodeDef & {
  channel?: string;
  watcherName?: string;
  watcherNameType?: string;
  source?: "contract" | "service";
  contract?: string;
  /** Event names, separated by commas; or a list, by message. */
  events?: string;
  eventsType?: string;
  service?: string;
  serviceType?: string;
  serviceConfig?: string;
  serviceConfigType?: string;
  chainSelector?: string;
  address?: string;
  /** Seconds to wait until the watcher is active; 0 sends it on as soon as it is created. */
  timeout?: string | number;
};

/** Ports: ready (once), and status (each change on the way). */
export default function register(RED: NodeAPI): void {
  function ConstructCreateWatcher(this: Node, def: CreateWatcherDef): void {
    RED.nodes.createNode(this, def);

    onInput(RED, this, async ({ msg, send, signal }) => {
      showStatus(this, "working", "create-watcher.status.looking");
      const channel = channelOf(RED, def.channel);
      const client = await channel.connection().client();
      const channelId = channelOverride(msg) ?? (await channel.resolve(signal));
      const request = await requestOf(RED, this, def, msg);

      const report = (watcher: Watcher, found: boolean): CrecMessage => {
        showStatus(this, watcher.status === "active" ? "done" : "working", watcher.status);
        const crec = { channelId, watcherId: watcher.watcher_id, status: watcher.status, found };
        return answer(msg, watcher, crec);
      };
      const { watcher, found } = await client.watchers.createOrFind(channelId, request, { signal });
      // Whatever happens from here on, Catch must learn which watcher it happened to.
      msg.crec = { ...msg.crec, channelId, watcherId: watcher.watcher_id };
      send(null, statusMessage(report(watcher, found)));
      const timeoutMs = Number(def.timeout ?? 300) * 1000;
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

async function requestOf(
  RED: NodeAPI,
  node: Node,
  def: CreateWatcherDef,
  msg: CrecMessage,
): Promise<CreateWatcher> {
  const name = await requireText(RED, node, msg, {
    label: "Watcher",
    value: def.watcherName,
    type: def.watcherNameType,
  });
  const events = eventNames(
    await readField(RED, node, msg, { label: "Events", value: def.events, type: def.eventsType }),
  );
  const { checksumAddress, eventFragments } = await loadLibrary();
  if (def.source === "service") {
    const service = await requireText(RED, node, msg, {
      label: "Service",
      value: def.service,
      type: def.serviceType,
    });
    const config = await readField(RED, node, msg, {
      label: "Service settings",
      value: def.serviceConfig || "{}",
      type: def.serviceConfigType ?? "json",
    });
    return {
      name,
      events,
      service,
      service_config: config as Record<string, unknown>,
      chain_selector: (def.chainSelector ?? "").trim(),
      address: checksumAddress(def.address ?? "", "The address"),
    };
  }
  const contract = contractOf(RED, def.contract);
  return {
    name,
    events,
    abi: eventFragments(await contract.abi(), events),
    chain_selector: contract.chainSelector,
    address: checksumAddress(contract.address, "The contract's address"),
  };
}

function eventNames(value: unknown): string[] {
  const names = Array.isArray(value) ? value.map(String) : String(value ?? "").split(",");
  const filled = names.map((name) => name.trim()).filter((name) => name !== "");
  if (filled.length > 0) return filled;
  throw nodeError("MISSING_VALUE", '"Events" is empty. Name at least one event of the contract.');
}
