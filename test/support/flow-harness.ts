import should from "should";
import { type FlowNode, freshId, type NodeRed } from "./node-red.ts";

/** Not a word that a property may have as its value: Node-RED takes a value that is a node's id for a reference. */
const TAB = "harness-tab";

/** A whole message, as a debug node shows it. */
export type Message = {
  payload?: unknown;
  topic?: string;
  crec?: Record<string, unknown>;
  error?: { message: string; code?: string; source: { id: string; type: string }; cause?: unknown };
  /** Paths of values in the message that are not plain JSON. */
  odd?: string[];
  [property: string]: unknown;
};

/** Adds to each message a list of its values that are not plain JSON. */
const LOOK_FOR_ODD_VALUES = `
const odd = [];
const isPlain = (value) => {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};
const look = (value, path) => {
  if (value === null || ["string", "boolean"].includes(typeof value)) return;
  if (typeof value === "number" && Number.isFinite(value)) return;
  if (Array.isArray(value)) value.forEach((item, index) => look(item, path + "[" + index + "]"));
  else if (typeof value === "object" && isPlain(value))
    Object.entries(value).forEach(([key, item]) => look(item, path + "." + key));
  else odd.push(path + ": " + typeof value);
};
look(msg.payload, "payload");
look(msg.crec, "crec");
msg.odd = odd;
return msg;`;

/**
 * A flow in which each node under test is between a button and a debug node for each output, with one catch for all.
 * Debug nodes are called `<node>:<port>` and `error`. `ports` is the number of outputs of each node.
 */
export function harnessFlow(
  config: readonly FlowNode[],
  nodes: ReadonlyArray<[FlowNode, number]>,
): FlowNode[] {
  return [
    { id: TAB, type: "tab", label: "harness" },
    ...config,
    ...nodes.flatMap(([node, ports]) => [button(node.id), ...wired(node, ports)]),
    { id: "catch", z: TAB, type: "catch", x: 1, y: 1, scope: null, wires: [["error"]] },
    debug("error", "error"),
  ];
}

function button(id: string): FlowNode {
  return { id: `press-${id}`, z: TAB, type: "inject", x: 1, y: 1, props: [], repeat: "", wires: [[id]] };
}

function wired(node: FlowNode, ports: number): FlowNode[] {
  const numbers = [...Array(ports).keys()];
  const wires = numbers.map((port) => [`${node.id}-look-${port}`]);
  return [
    { z: TAB, x: 1, y: 1, wires, ...node },
    ...numbers.flatMap((port) => [
      functionNode(`${node.id}-look-${port}`, LOOK_FOR_ODD_VALUES, [`${node.id}-debug-${port}`]),
      debug(`${node.id}-debug-${port}`, `${node.id}:${port}`),
    ]),
  ];
}

export function functionNode(id: string, func: string, to: readonly string[]): FlowNode {
  return { id, z: TAB, type: "function", x: 1, y: 1, func, outputs: 1, libs: [], wires: [to] };
}

function debug(id: string, name: string): FlowNode {
  const shows = { active: true, tosidebar: true, complete: "true", targetType: "full" };
  return { id, z: TAB, type: "debug", x: 1, y: 1, name, ...shows, wires: [] };
}

/** Sends a message into a node of such a flow, and returns the message from `port`. Fails on an error. */
export async function ask(nodeRed: NodeRed, id: string, message: Message, port = 0): Promise<Message> {
  const { name, msg } = await outcome(nodeRed, id, message, port);
  if (name !== "error") return msg;
  throw new Error(`${id} did not answer: ${msg.error?.code} ${msg.error?.message}`);
}

/** Sends a message into a node of such a flow, and returns the message from the catch. Fails if there is no error. */
export async function refuse(nodeRed: NodeRed, id: string, message: Message, port = 0): Promise<Message> {
  const { name, msg } = await outcome(nodeRed, id, message, port);
  if (name === "error") return msg;
  throw new Error(`${id} did not refuse: ${JSON.stringify(msg)}`);
}

async function outcome(nodeRed: NodeRed, id: string, message: Message, port: number) {
  const probe = freshId();
  await nodeRed.press(`press-${id}`, { ...message, probe });
  const shown = await nodeRed.shows(
    ({ name, value }) => (name === "error" || name === `${id}:${port}`) && (value as Message).probe === probe,
  );
  return { name: shown.name, msg: shown.value as Message };
}

/** `msg.crec` without `created`, the times at which its ids were created, which is there for 30 s. */
export function withoutTimes({ crec: { created, ...crec } = {} }: Message): Record<string, unknown> {
  for (const [id, at] of Object.entries(created ?? {})) {
    should(Object.values(crec)).containEql(id);
    should(at).be.approximately(Date.now() / 1000, 40);
  }
  return crec;
}
