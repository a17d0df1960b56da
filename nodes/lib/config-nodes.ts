import type { Node, NodeAPI } from "node-red";
import type { Abi, CrecClient, Verifier, VerifyConfig } from "../../src/index.ts";
import { type CodedError, nodeError } from "./errors.ts";

/** What a `crec-connection` offers to the nodes that use it. */
export type Connection = {
  /** The service's base URL: part of the identity of a cursor. */
  baseUrl: string;
  graphqlUrl: string | undefined;
  /** What is wrong with the settings, or `undefined`. */
  problem: CodedError | undefined;
  verification: VerifyConfig;
  /** @throws the problem of the settings */
  client(): Promise<CrecClient>;
  verifier(): Promise<Verifier>;
};

/** What a `crec-channel` offers. */
export type ChannelRef = {
  label: string;
  problem: CodedError | undefined;
  connection(): Connection;
  /**
   * The channel's id, looked up by name where only that is known, and remembered.
   * @throws CHANNEL_NOT_FOUND
   */
  resolve(signal: AbortSignal): Promise<string>;
};

/** What a `crec-contract` offers. */
export type ContractRef = {
  chainSelector: string;
  address: string;
  decimals: number | undefined;
  problem: CodedError | undefined;
  /** @throws ABI_INVALID */
  abi(): Promise<Abi>;
};

/** Node-RED leaves out what was never typed in. */
export type ConnectionCredentials = { apiKey?: string | undefined };

export type ConnectionNode = Node<ConnectionCredentials> & { connection: Connection };
export type ChannelNode = Node & { channel: ChannelRef };
export type ContractNode = Node & { contract: ContractRef };

/** @throws CONNECTION_MISSING, or the problem of the connection's settings */
export function connectionOf(RED: NodeAPI, id: string | undefined): Connection {
  const connection = (lookUp(RED, id) as Partial<ConnectionNode> | undefined)?.connection;
  if (!connection) {
    throw nodeError("CONNECTION_MISSING", "No connection is chosen. Open the node, choose one, and deploy.");
  }
  if (connection.problem) throw connection.problem;
  return connection;
}

/** @throws CHANNEL_MISSING, or the problem of the channel's or its connection's settings */
export function channelOf(RED: NodeAPI, id: string | undefined): ChannelRef {
  const channel = (lookUp(RED, id) as Partial<ChannelNode> | undefined)?.channel;
  if (!channel) {
    throw nodeError("CHANNEL_MISSING", "No channel is chosen. Open the node, choose one, and deploy.");
  }
  if (channel.problem) throw channel.problem;
  return channel;
}

/** @throws CONTRACT_MISSING, or the problem of the contract's settings */
export function contractOf(RED: NodeAPI, id: string | undefined): ContractRef {
  const contract = (lookUp(RED, id) as Partial<ContractNode> | undefined)?.contract;
  if (!contract) {
    throw nodeError("CONTRACT_MISSING", "No contract is chosen. Open the node, choose one, and deploy.");
  }
  if (contract.problem) throw contract.problem;
  return contract;
}

function lookUp(RED: NodeAPI, id: string | undefined): Node | undefined {
  return id ? ((RED.nodes.getNode(id) as Node | null) ?? undefined) : undefined;
}
