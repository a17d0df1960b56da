import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { markTyped } from "../../nodes/common/shared/variables.ts";
import type { FlowNode } from "../support/node-red.ts";
import {
  apiNode,
  connectionNode,
  createWatcherNode,
  eventsInNode,
  manageNode,
  verifyEventNode,
} from "../support/nodes.ts";
import { COUNTER_ABI, call, operationNode, queryNode, submitNode } from "../support/operation-nodes.ts";
import type { World } from "./world.ts";

/** One use of a node that calls the service. */
export type NodeUse = {
  /** Its type. */
  type: string;
  outputs: number;
  /** The node, whose config nodes have the ids that `configOf` gives. */
  node: (id: string, world: World) => Partial<FlowNode> & { type: string };
  /** The message that makes it call; none for a node that calls by itself. */
  message?: (world: World) => Promise<Record<string, unknown>>;
};

const fresh = () => `faults-${randomUUID()}`;
const nothing = async () => ({});

/** By the name of its column. */
export const NODE_USES: Readonly<Record<string, NodeUse>> = {
  "events in": {
    type: "crec-events-in",
    outputs: 3,
    node: (id) => eventsInNode({ id, consumer: id, verify: false }),
  },
  "verify event": {
    type: "crec-verify-event",
    outputs: 3,
    // It asks for the family of the event's watcher.
    node: (id) => verifyEventNode({ id }),
    message: async ({ direct, channelId }) => {
      const { data } = await direct.events.search(channelId, { type: ["watcher.event"], limit: 1 });
      return { crec: { event: data[0], channelId } };
    },
  },
  "create watcher": {
    type: "crec-create-watcher",
    outputs: 1,
    node: (id) =>
      createWatcherNode({
        id,
        watcherName: "payload",
        watcherNameType: "msg",
        events: "Incremented",
        contract: "counter",
      }),
    message: async () => ({ payload: fresh() }),
  },
  "submit operation": {
    type: "crec-submit-operation",
    outputs: 2,
    node: (id) =>
      submitNode({ id, calls: [call("counter", "increment()")], waitFor: "accepted", follow: false }),
    message: nothing,
  },
  "operation (get)": {
    type: "crec-operation",
    outputs: 1,
    node: (id) => operationNode("get", { id }),
    message: async ({ operationId }) => ({ crec: { operationId } }),
  },
  "operation (cancel)": {
    type: "crec-operation",
    outputs: 1,
    node: (id) => operationNode("cancel", { id }),
    message: async ({ direct, channelId, newOperation }) => {
      const { operation } = await direct.operations.draft(channelId, newOperation());
      return { crec: { operationId: operation.operation_id } };
    },
  },
  "run query": {
    type: "crec-run-query",
    outputs: 1,
    node: (id) => queryNode({ id, call: call("counter", "count()") }),
    message: nothing,
  },
  "search events": {
    type: "crec-search-events",
    outputs: 1,
    node: (id) => ({ id, type: "crec-search-events", limit: "1", verify: false, types: [] }),
    message: nothing,
  },
  "manage (list)": {
    type: "crec-manage",
    outputs: 1,
    node: (id) => manageNode("channels.list", { id }),
    message: nothing,
  },
  "manage (create or find)": {
    type: "crec-manage",
    outputs: 1,
    node: (id) => manageNode("channels.create-or-find", { id }),
    message: async () => ({ payload: fresh() }),
  },
  account: {
    type: "crec-account",
    outputs: 1,
    node: (id) => ({ id, type: "crec-account", action: "details" }),
    message: nothing,
  },
  "api call (GET)": {
    type: "crec-api",
    outputs: 1,
    node: (id) => apiNode({ id }),
    message: async () => ({ payload: "/networks" }),
  },
  "api call (POST)": {
    type: "crec-api",
    outputs: 1,
    node: (id) =>
      apiNode({ id, method: "POST", path: "/channels", pathType: "str", body: "payload", bodyType: "msg" }),
    message: async () => ({ payload: { name: fresh() } }),
  },
};

/** Nodes that call nothing themselves: config nodes, and those that work on what others have read. */
export const SILENT_NODES: readonly string[] = [
  ...["crec-connection", "crec-signer", "crec-wallet", "crec-channel", "crec-contract", "crec-fleet"],
  ...["crec-ack", "crec-alert"],
];

/** The types of all nodes of the package. */
export function typesOfPackage(): string[] {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const names = Object.keys((JSON.parse(text) as { "node-red": { nodes: object } })["node-red"].nodes);
  return names.map((name) => `crec-${name}`);
}

/** A node with config nodes of its own, so that only its requests go to this address. */
export function flowOf(
  id: string,
  use: NodeUse,
  {
    world,
    baseUrl,
    graphqlUrl,
    timeout,
  }: { world: World; baseUrl: string; graphqlUrl: string; timeout: string },
): { config: FlowNode[]; node: FlowNode } {
  const [connection, channel, wallet] = [`${id}-connection`, `${id}-channel`, `${id}-wallet`];
  const { ready } = world;
  // A family of its own makes verify event ask for that of the watcher.
  const families = [
    {
      ...{ family: "another", orgId: "", creTenantId: "", workflowOwner: "" },
      validSigners: ready.valid_signers.join("\n"),
      minRequiredSignatures: String(ready.min_required_signatures),
    },
  ];
  const config: FlowNode[] = [
    connectionNode(ready, {
      ...{ id: connection, baseUrl, graphqlUrl, timeout, families },
      credentials: { apiKey: markTyped(ready.api_key, randomUUID()) },
    }),
    { id: channel, type: "crec-channel", connection, channel: world.channelId, createMissing: false },
    {
      ...{ id: wallet, type: "crec-wallet", connection, chainSelector: ready.chain_selector },
      ...{ wallet: world.wallet.name, signer: "signer" },
    },
  ];
  const node = { ...use.node(id, world), connection, channel, id } as FlowNode;
  if (use.type === "crec-submit-operation") node.wallet = wallet;
  // Another channel would be read, too.
  if (use.type === "crec-manage" || use.type === "crec-verify-event") node.channel = "";
  return { config, node };
}

/** The contract of all of them. */
export function counterNode({ ready }: World): FlowNode {
  return {
    ...{ id: "counter", type: "crec-contract", chainSelector: ready.chain_selector },
    ...{
      address: ready.contracts.Counter,
      abi: `${COUNTER_ABI}\nfunction increment()\nevent Incremented(address indexed by, uint256 amount, uint256 count)`,
    },
  };
}
