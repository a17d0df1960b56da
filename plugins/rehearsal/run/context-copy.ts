import type { Node, NodeAPI, NodeContext } from "node-red";
import { quotedKey } from "../../../rehearsal/shared/context-key.ts";
import type { ContextCopy, FlowNode } from "../../../rehearsal/shared/job.ts";

type Values = Record<string, unknown>;
type Store = Pick<NodeContext, "keys" | "get">;

/**
 * What the deployed nodes among these have in context, in the default store. Nothing of settings.js.
 *
 * @throws the reason of `signal` once it fires: a store may never answer
 */
export function contextCopy(
  RED: NodeAPI,
  nodes: readonly FlowNode[],
  signal: AbortSignal,
): Promise<ContextCopy> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    copyOf(RED, nodes).then(resolve, reject);
  });
}

async function copyOf(RED: NodeAPI, nodes: readonly FlowNode[]): Promise<ContextCopy> {
  const flows: Record<string, Values> = {};
  const ofNodes: Record<string, Values> = {};
  let global: Values | undefined;
  for (const { id, z } of nodes) {
    const node = RED.nodes.getNode(id) as (Node & { context?: () => NodeContext }) | undefined;
    const context = node?.context?.();
    if (!context) continue;
    global ??= withoutSettings(await valuesOf(context.global), RED);
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
