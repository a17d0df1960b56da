import { createHash, randomUUID } from "node:crypto";
import { markTyped } from "../../nodes/common/shared/variables.ts";
import type { ReadyInfo } from "../../service/src/index.ts";
import type { FlowNode } from "./node-red.ts";
import { flowEnvironment } from "./service.ts";

/** Our nodes as a flow file holds them, filled in sensibly; `properties` say what a test wants otherwise. */

type Properties = Partial<FlowNode>;

export const TRANSFER_ABI = "event Transfer(address indexed from, address indexed to, uint256 value)";

/** A connection to the service, with all that its proofs are checked against. */
export function connectionNode(ready: ReadyInfo, properties: Properties = {}): FlowNode {
  const environment = flowEnvironment(ready) as Record<string, string>;
  return {
    id: "connection",
    type: "crec-connection",
    baseUrl: ready.base_url,
    graphqlUrl: ready.graphql_url,
    orgId: ready.org_id,
    workflowOwner: "",
    creTenantId: ready.cre_tenant_id,
    validSigners: environment.CREC_VALID_SIGNERS,
    minRequiredSignatures: environment.CREC_MIN_SIGNATURES,
    timeout: "10",
    // As from a form: typed for the addresses it is deployed with.
    credentials: { apiKey: markTyped(ready.api_key, onceFor(ready.base_url, ready.graphql_url, properties)) },
    ...properties,
  };
}

/** A key that is entered again at each deploy is bound again, which takes 0.1 s of a processor. */
function onceFor(...settings: unknown[]): string {
  return createHash("sha256").update(JSON.stringify(settings)).digest("hex").slice(0, 16);
}

export function channelNode(properties: Properties = {}): FlowNode {
  return {
    id: "channel",
    type: "crec-channel",
    connection: "connection",
    channel: "harness",
    createMissing: false,
    ...properties,
  };
}

/** The demo token. */
export function contractNode(ready: ReadyInfo, properties: Properties = {}): FlowNode {
  return {
    id: "contract",
    type: "crec-contract",
    chainSelector: ready.chain_selector,
    address: ready.contracts.DemoToken,
    abi: TRANSFER_ABI,
    ...properties,
  };
}

/** What is managed is named by `msg.payload`. */
export function manageNode(action: string, properties: Properties = {}): FlowNode {
  return {
    id: "manage",
    type: "crec-manage",
    connection: "connection",
    channel: action.startsWith("watchers.") ? "channel" : "",
    action,
    target: "payload",
    targetType: "msg",
    ...properties,
  };
}

export function createWatcherNode(properties: Properties = {}): FlowNode {
  return {
    id: "watcher",
    type: "crec-create-watcher",
    channel: "channel",
    watcherName: "harness-transfers",
    watcherNameType: "str",
    source: "contract",
    contract: "contract",
    events: "Transfer",
    eventsType: "str",
    timeout: "20",
    ...properties,
  };
}

/** `msg.payload` is the path. */
export function apiNode(properties: Properties = {}): FlowNode {
  return {
    id: "api",
    type: "crec-api",
    connection: "connection",
    method: "GET",
    path: "payload",
    pathType: "msg",
    ...properties,
  };
}

export function verifyEventNode(properties: Properties = {}): FlowNode {
  return { id: "verify", type: "crec-verify-event", connection: "connection", ...properties };
}

/** A consumer of its own, which looks often. */
export function eventsInNode(properties: Properties = {}): FlowNode {
  return {
    id: "events",
    type: "crec-events-in",
    channel: "channel",
    consumer: `consumer-${randomUUID()}`,
    start: "beginning",
    startValue: "",
    types: [],
    verify: true,
    pollMin: "0.2",
    pollMax: "0.5",
    ...properties,
  };
}
