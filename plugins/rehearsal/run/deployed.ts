import type { Node, NodeAPI, NodeContext } from "node-red";
import { isDeployedWith } from "../../../nodes/common/admin/deployed.ts";
import type { NodeRedContext } from "../../../nodes/common/context.ts";
import type { ChannelNode, Connection, ConnectionNode } from "../../../nodes/common/fields/config-nodes.ts";
import { nodeError } from "../../../nodes/common/shared/errors.ts";
import { isReference } from "../../../nodes/common/shared/variables.ts";
import { type ContextCopy, type FlowNode, quotedKey } from "../../../rehearsal/shared/job.ts";
import type { CrecClient } from "../../../src/index.ts";
import { canonicalId, isUuid } from "../../../src/protocol/ids.ts";

/** `signal` ends it. */
type Reading = NodeRedContext & { readonly signal: AbortSignal };
type Values = Record<string, unknown>;
type Store = Pick<NodeContext, "keys" | "get">;

/**
 * What the deployed nodes among these have in context, in the default store. Nothing of settings.js.
 *
 * @throws the reason of `signal` once it fires: a store may never answer
 */
export function contextCopy(reading: Reading, nodes: readonly FlowNode[]): Promise<ContextCopy> {
  const { signal } = reading;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    copyOf(reading, nodes).then(resolve, reject);
  });
}

async function copyOf(nodeRed: NodeRedContext, nodes: readonly FlowNode[]): Promise<ContextCopy> {
  const flows: Record<string, Values> = {};
  const ofNodes: Record<string, Values> = {};
  let global: Values | undefined;
  for (const { id, z } of nodes) {
    const node = nodeRed.RED.nodes.getNode(id) as (Node & { context?: () => NodeContext }) | undefined;
    const context = node?.context?.();
    if (!context) continue;
    global ??= withoutSettings(await valuesOf(context.global), nodeRed.RED);
    if (z !== undefined) flows[z] ??= await valuesOf(context.flow);
    ofNodes[id] = await valuesOf(context);
  }
  return { global: global ?? {}, flows, nodes: ofNodes };
}

async function valuesOf(store: Store): Promise<Values> {
  const keys = await answered<string[]>((done) => store.keys(done));
  const found: Values = {};
  for (const key of keys) {
    const quoted = quotedKey(key);
    // No node could read it.
    if (quoted === undefined) continue;
    found[key] = await answered((done) => store.get(quoted, done));
  }
  return found;
}

/** Node-RED lists what functionGlobalContext has as global context. */
function withoutSettings(values: Values, { settings }: NodeAPI): Values {
  const { functionGlobalContext: own = {} } = settings as { functionGlobalContext?: Values };
  return Object.fromEntries(Object.entries(values).filter(([key, value]) => own[key] !== value));
}

/** Stores in a file or a database answer by a callback only. */
function answered<T>(ask: (done: (error: Error | undefined, answer: unknown) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    ask((error, answer) => (error ? reject(error) : resolve(answer as T)));
  });
}

export type DeployedChannels = { connection: Connection; client: CrecClient; channelIds: string[] };

/** Where a stored key may be sent: a request must not change any of these. */
const ADDRESSES = ["baseUrl", "graphqlUrl", "tls", "proxy"];

/**
 * The channels that the flows read, by the deployed connection to read them by: its key goes to the address that it was
 * deployed with, whatever was posted. Empty where the flows have no channel.
 * @throws DEPLOY_FIRST, INVALID_REQUEST, CHANNEL_NOT_FOUND, or the problem of the connection
 */
export async function deployedChannels(
  reading: Reading,
  flows: readonly FlowNode[],
): Promise<DeployedChannels[]> {
  const channels = flows.filter(({ type }) => type === "crec-channel");
  const found: DeployedChannels[] = [];
  for (const id of new Set(channels.map(({ connection }) => String(connection ?? "")))) {
    const connection = deployedConnection(
      reading,
      flows.find((node) => node.id === id),
    );
    const client = await connection.client();
    const ids = new Set<string>();
    // Several connections may lead to the same channel: it is read once.
    const known = new Set(found.flatMap(({ channelIds }) => channelIds));
    for (const channel of channels.filter((one) => String(one.connection ?? "") === id)) {
      const channelOf = await channelId(reading, channel, client);
      if (!known.has(channelOf)) ids.add(channelOf);
    }
    if (ids.size > 0) found.push({ connection, client, channelIds: [...ids] });
  }
  return found;
}

function deployedConnection(nodeRed: NodeRedContext, posted: FlowNode | undefined): Connection {
  const { RED } = nodeRed;
  const name = String(posted?.name || posted?.baseUrl || "");
  const { connection } = (posted ? (RED.nodes.getNode(posted.id) ?? {}) : {}) as Partial<ConnectionNode>;
  const isSame =
    posted &&
    ADDRESSES.every((field) => isDeployedWith(RED.nodes, posted.id, field, posted[field] as string));
  if (connection && isSame) return connection;
  throw nodeError(
    "DEPLOY_FIRST",
    `Events are read through the connection "${name}" as it is deployed, and this one is not. Deploy it, or choose a file of events.`,
  );
}

/** By name or id. It is not created where it is missing: a rehearsal changes nothing. */
async function channelId(reading: Reading, posted: FlowNode, client: CrecClient): Promise<string> {
  const text = String(posted.channel ?? "").trim();
  const label = isReference(text) ? deployedLabel(reading, posted, text) : text;
  if (isUuid(label)) return canonicalId(label);
  const channel = await client.channels.findByName(label, { signal: reading.signal });
  if (channel) return channel.channel_id;
  throw nodeError(
    "CHANNEL_NOT_FOUND",
    `There is no channel named "${label}", so there are no events to rehearse with. Choose another one in the flow, or a file of events.`,
  );
}

/** What a variable stands for is known of the deployed node only. */
function deployedLabel(nodeRed: NodeRedContext, { id }: FlowNode, text: string): string {
  const { RED } = nodeRed;
  const { channel } = (RED.nodes.getNode(id) ?? {}) as Partial<ChannelNode>;
  if (channel && isDeployedWith(RED.nodes, id, "channel", text)) return channel.label;
  throw nodeError(
    "DEPLOY_FIRST",
    `What ${text} stands for is known once the channel is deployed: deploy, then try again.`,
  );
}
