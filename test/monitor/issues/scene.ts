import type { NodeAPI } from "node-red";
import { nodeRedContext } from "../../../nodes/common/context.ts";
import { type FlowNode, Flows } from "../../../nodes/common/flows/flows.ts";
import { Activity } from "../../../nodes/common/telemetry/activity.ts";
import type { ResourceReport } from "../../../nodes/common/telemetry/types.ts";
import { AnswerCache } from "../../../plugins/monitor/issues/answer-cache.ts";
import { type Check, CheckContext } from "../../../plugins/monitor/issues/check-context.ts";

export const NOW = Date.UTC(2026, 0, 31);
export const SERVICE = "https://service.example/v1";
export const PUBLIC = "https://service.chain.link/v1";
export const CHANNEL_ID = "0f8fad5b-d9cb-469f-a165-70867728950e";

type Given = {
  nodes: ReadonlyArray<FlowNode>;
  /** What the running nodes offer, by their ids. */
  running?: Readonly<Record<string, object>>;
  settings?: object;
  env?: Readonly<Record<string, string>>;
};

/** Deployed flows, with what their running nodes offer: only that of Node-RED is replaced which checks use. */
export async function sceneOf({
  nodes,
  running = {},
  settings = {},
  env = {},
}: Given): Promise<CheckContext> {
  const RED = {
    settings,
    log: { debug: () => undefined },
    nodes: {
      eachNode: (each: (node: FlowNode) => void) => nodes.forEach(each),
      getNode: (id: string) => running[id] ?? null,
      getType: () => () => undefined,
    },
    util: { getSetting: (_node: object, name: string) => env[name] },
  } as unknown as NodeAPI;
  const flows = await Flows.read(RED.nodes);
  const activity = new Activity();
  const answers = new AnswerCache();
  return new CheckContext({ ...nodeRedContext(RED), flows, activity, answers, now: NOW, startedAt: 0 });
}

/** What a check finds, as `case node` or `case node detail`. */
export async function found(check: Check, scene: CheckContext): Promise<string[]> {
  const findings = await check.find(scene);
  return findings.map(({ case: kind, origin, detail }) =>
    [kind, origin.node, detail].filter(Boolean).join(" "),
  );
}

export async function foundIn(check: Check, given: Given): Promise<string[]> {
  return found(check, await sceneOf(given));
}

/** A node that runs. */
export function running(flows: Flows, id: string): FlowNode {
  const found = flows.get(id);
  if (!found) throw new Error(`There is no running node ${id}.`);
  return found;
}

/** A node on the tab. */
export function node(type: string, id: string, properties: Record<string, unknown> = {}): FlowNode {
  return { id, type, z: "tab", wires: [], ...properties };
}

export const TAB: FlowNode = { id: "tab", type: "tab" };
/** A channel with its connection, as the flows have them. */
export const CHANNEL: readonly FlowNode[] = [
  { id: "connection", type: "crec-connection", name: "main" },
  { id: "channel", type: "crec-channel", connection: "connection" },
];

/** What runs of them. */
export function runningChannel(baseUrl = SERVICE): Record<string, object> {
  const connection = { baseUrl, problem: undefined };
  const channel = { label: "payments", problem: undefined, connection: () => connection };
  return { connection: { connection }, channel: { channel } };
}

/** A running events in. */
export function reader(state: object = { kind: "connected" }, unwatched?: { names: string[] }): object {
  const identity = { channelId: CHANNEL_ID };
  return { reader: { identity, consumer: { state }, watcherCheck: { unwatched } } };
}

export function resource(properties: Partial<ResourceReport>): ResourceReport {
  return { id: "id", name: "name", status: "active", service: SERVICE, seenAt: NOW, ...properties };
}
