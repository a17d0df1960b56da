import type { NodeAPI } from "node-red";
import { isDeployedWith } from "../../../nodes/common/admin/deployed.ts";
import type { ChannelNode, Connection, ConnectionNode } from "../../../nodes/common/fields/config-nodes.ts";
import { nodeError } from "../../../nodes/common/shared/errors.ts";
import { isReference } from "../../../nodes/common/shared/variables.ts";
import type { FlowNode } from "../../../rehearsal/shared/job.ts";
import type { CrecClient } from "../../../src/index.ts";
import { canonicalId, isUuid } from "../../../src/protocol/ids.ts";

export type DeployedChannels = { connection: Connection; client: CrecClient; channelIds: string[] };

/** Where a stored key may be sent: a request must not change any of these. */
const ADDRESSES = ["baseUrl", "graphqlUrl", "tls", "proxy"];

/**
 * The channels that the flows read, by the deployed connection to read them by: its key goes to the address that it was
 * deployed with, whatever was posted. Empty where the flows have no channel.
 * @throws DEPLOY_FIRST, INVALID_REQUEST, CHANNEL_NOT_FOUND, or the problem of the connection
 */
export async function deployedChannels(
  RED: NodeAPI,
  flows: readonly FlowNode[],
  signal: AbortSignal,
): Promise<DeployedChannels[]> {
  const channels = flows.filter(({ type }) => type === "crec-channel");
  const found: DeployedChannels[] = [];
  for (const id of new Set(channels.map(({ connection }) => String(connection ?? "")))) {
    const connection = deployedConnection(
      RED,
      flows.find((node) => node.id === id),
    );
    const client = await connection.client();
    const ids = new Set<string>();
    // Several connections may lead to the same channel: it is read once.
    const known = new Set(found.flatMap(({ channelIds }) => channelIds));
    for (const channel of channels.filter((one) => String(one.connection ?? "") === id)) {
      const channelOf = await channelId(RED, channel, client, signal);
      if (!known.has(channelOf)) ids.add(channelOf);
    }
    if (ids.size > 0) found.push({ connection, client, channelIds: [...ids] });
  }
  return found;
}

function deployedConnection(RED: NodeAPI, posted: FlowNode | undefined): Connection {
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
async function channelId(
  RED: NodeAPI,
  posted: FlowNode,
  client: CrecClient,
  signal: AbortSignal,
): Promise<string> {
  const text = String(posted.channel ?? "").trim();
  const label = isReference(text) ? deployedLabel(RED, posted, text) : text;
  if (isUuid(label)) return canonicalId(label);
  const channel = await client.channels.findByName(label, { signal });
  if (channel) return channel.channel_id;
  throw nodeError(
    "CHANNEL_NOT_FOUND",
    `There is no channel named "${label}", so there are no events to rehearse with. Choose another one in the flow, or a file of events.`,
  );
}

/** What a variable stands for is known of the deployed node only. */
function deployedLabel(RED: NodeAPI, { id }: FlowNode, text: string): string {
  const { channel } = (RED.nodes.getNode(id) ?? {}) as Partial<ChannelNode>;
  if (channel && isDeployedWith(RED.nodes, id, "channel", text)) return channel.label;
  throw nodeError(
    "DEPLOY_FIRST",
    `What ${text} stands for is known once the channel is deployed: deploy, then try again.`,
  );
}
