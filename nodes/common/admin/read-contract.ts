import type { Node, NodeAPI } from "node-red";
import type { CrecClient } from "../../../src/index.ts";
import { isUuid } from "../../../src/protocol/ids.ts";
import {
  askContract,
  type ContractPlace,
  decimalsIn,
  existence,
  factsOf,
} from "../contracts/contract-facts.ts";
import type {
  ChannelNode,
  Connection,
  ConnectionNode,
  ContractNode,
  WalletNode,
} from "../fields/config-nodes.ts";
import { type FlowNodes, storedValue } from "../fields/flow-settings.ts";
import { loadLibrary } from "../library.ts";
import { nodeError } from "../shared/errors.ts";
import type { OnChain } from "../shared/form-types.ts";
import { isVerificationUntouched } from "../shared/signers.ts";
import { isChosen, isReference } from "../shared/variables.ts";
import { answerForms, fieldsOf, textIn } from "./answer.ts";
import { deployFirst, isDeployedWith } from "./deployed.ts";

/** Where to read: all is known, and nothing was sent. */
type Place = ContractPlace & { channel: string; network: string };

/** A query takes some blocks, and the answer of the oracles. */
const READ_MS = 60_000;
const LOOKUP_MS = 10_000;

/**
 * `POST /crec/contract/read`: whether there is a contract at an address, its decimals and its symbol. They are read by
 * queries, which the service works for, in a channel that exists already.
 * `POST /crec/contract/exists`: only the first, by one query; the answer is remembered.
 */
export function registerContractReader(RED: NodeAPI): void {
  answerForms(RED, "post", "/crec/contract/read", "crec.write", async ({ body }): Promise<OnChain> => {
    const place = await placeOf(RED.nodes, fieldsOf(body));
    const { network, channel } = place;
    return { ...(await read(place)), network, channel };
  });
  answerForms(RED, "post", "/crec/contract/exists", "crec.write", async ({ body }): Promise<OnChain> => {
    const place = await placeOf(RED.nodes, fieldsOf(body));
    const { network, channel } = place;
    return { ...(await existsAt(place)), network, channel };
  });
}

/**
 * Whether there is a contract at an address, by one query in a channel that exists; undefined where the answer does not
 * show it.
 * @param at.connection the id of a deployed connection
 * @throws what `POST /crec/contract/exists` answers: CHANNEL_NOT_FOUND, NETWORK_NOT_FOUND, QUERY_FAILED and the like
 */
export async function contractExists(
  nodes: FlowNodes,
  at: Readonly<{ connection: string; chainSelector: string; address: string }>,
): Promise<boolean | undefined> {
  return (await existsAt(await placeOf(nodes, at))).isContract;
}

async function existsAt(place: Place): Promise<Pick<OnChain, "isContract">> {
  const { isContract } = factsOf(place);
  return isContract === undefined ? existence(await askContract(place, "decimals", READ_MS)) : { isContract };
}

async function read(place: Place): Promise<Omit<OnChain, "network" | "channel">> {
  const [decimals, symbol] = await Promise.all([
    askContract(place, "decimals", READ_MS),
    askContract(place, "symbol", READ_MS),
  ]);
  const count = decimalsIn(decimals);
  return {
    ...existence(decimals),
    ...(count === undefined ? {} : { decimals: count }),
    ...(decimals.text && count === undefined ? { oddDecimals: decimals.text } : {}),
    ...(symbol.text ? { symbol: symbol.text } : {}),
  };
}

/** @throws CONNECTION_MISSING, DEPLOY_FIRST, CHANNEL_NOT_FOUND, INVALID_ADDRESS, and what is wrong with the connection */
async function placeOf(nodes: FlowNodes, question: Readonly<Record<string, unknown>>): Promise<Place> {
  const { checksumAddress } = await loadLibrary();
  const id = textIn(question.id);
  const chainSelector = resolved(nodes, id, "chainSelector", textIn(question.chainSelector));
  if (!/^\d+$/.test(chainSelector)) {
    throw nodeError("CONTRACT_INCOMPLETE", "The network is missing. Choose a network first.");
  }
  const address = checksumAddress(resolved(nodes, id, "address", textIn(question.address)), "The address");
  const connectionId = textIn(question.connection);
  const connection = connectionWith(nodes, connectionId);
  const client = await connection.client();
  const networks = await client.networks.list({ signal: AbortSignal.timeout(LOOKUP_MS) });
  const network = networks.find(({ chain_selector }) => chain_selector === chainSelector);
  if (!network) {
    throw nodeError(
      "NETWORK_NOT_FOUND",
      "The service of this connection does not support this network. Choose another network, or another connection.",
    );
  }
  const signal = AbortSignal.timeout(LOOKUP_MS);
  const channel = await queryChannel(nodes, connectionId, client, signal);
  const { verification } = connection;
  const isUntouched = isVerificationUntouched({
    ...verification,
    validSigners: verification.validSigners ?? [],
  });
  const verifier = isUntouched ? undefined : await connection.verifier();
  const { baseUrl: service } = connection;
  return { client, verifier, service, ...channel, network: network.name, chainSelector, address };
}

/** What is typed; a variable only where the deployed node has the same. @throws DEPLOY_FIRST */
function resolved(nodes: FlowNodes, id: string, field: "chainSelector" | "address", text: string): string {
  if (!isReference(text)) return text;
  const node = nodes.getNode(id) as Partial<ContractNode & WalletNode> | null;
  const value =
    field === "address" ? node?.contract?.address : (node?.contract ?? node?.wallet)?.chainSelector;
  return value !== undefined && isDeployedWith(nodes, id, field, text) ? value : deployFirst(text);
}

/** @throws CONNECTION_MISSING, DEPLOY_FIRST, and what is wrong with its settings */
function connectionWith(nodes: FlowNodes, id: string): Connection {
  if (!isChosen(id)) {
    throw nodeError(
      "CONNECTION_MISSING",
      "The chain is read by the service of a connection. Choose a connection first.",
    );
  }
  const connection = (nodes.getNode(id) as Partial<ConnectionNode> | null)?.connection;
  if (!connection) {
    throw nodeError(
      "DEPLOY_FIRST",
      "The chain is read by the service of the connection, and the connection is not deployed yet. Deploy, then try again.",
    );
  }
  if (connection.problem) throw connection.problem;
  return connection;
}

type Channel = { channelId: string; channel: string };

/**
 * A channel that exists, for queries of a form: one of this Node-RED, else any active one of the account. None is
 * created: a form must not change the account.
 * @throws CHANNEL_NOT_FOUND
 */
async function queryChannel(
  nodes: FlowNodes,
  connectionId: string,
  client: CrecClient,
  signal: AbortSignal,
): Promise<Channel> {
  for (const label of deployedChannels(nodes, connectionId)) {
    const found = isUuid(label)
      ? await client.channels.get(label, { signal }).catch(() => undefined)
      : await client.channels.findByName(label, { signal });
    if (found?.status === "active") return { channelId: found.channel_id, channel: found.name };
  }
  for await (const found of client.channels.list({ status: ["active"], limit: 1 }, { signal })) {
    return { channelId: found.channel_id, channel: found.name };
  }
  throw nodeError(
    "CHANNEL_NOT_FOUND",
    "The chain is read by queries in a channel, and this account has no channel yet. Create one, for example with the node manage, then try again.",
  );
}

/** Names and ids of the channels that are deployed with this connection. */
function deployedChannels(nodes: FlowNodes, connectionId: string): string[] {
  const labels: string[] = [];
  nodes.eachNode(({ id, type }) => {
    if (type !== "crec-channel" || storedValue(nodes, id, "connection") !== connectionId) return;
    const { channel } = (nodes.getNode(id) ?? {}) as Partial<Node & ChannelNode>;
    if (channel && !channel.problem) labels.push(channel.label);
  });
  return labels;
}
