import type { Node, NodeAPI, NodeContext } from "node-red";
import type { ContextCopy, FlowNode } from "../../../rehearsal/shared/job.ts";

type Values = Record<string, unknown>;
type Store = Pick<NodeContext, "keys" | "get">;

/** What the deployed nodes among these have in context, in the default store. */
export async function contextCopy(RED: NodeAPI, nodes: readonly FlowNode[]): Promise<ContextCopy> {
  const flows: Record<string, Values> = {};
  const ofNodes: Record<string, Values> = {};
  let global: Values | undefined;
  for (const { id, z } of nodes) {
    const node = RED.nodes.getNode(id) as (Node & { context?: () => NodeContext }) | undefined;
    const context = node?.context?.();
    if (!context) continue;
    global ??= await valuesOf(context.global);
    if (z !== undefined) flows[z] ??= await valuesOf(context.flow);
    ofNodes[id] = await valuesOf(context);
  }
  return { global: global ?? {}, flows, nodes: ofNodes };
}

async function valuesOf(store: Store): Promise<Values> {
  const keys = await answered<string[]>((done) => store.keys(done));
  const found: Values = {};
  // In brackets, since a key with a point is no path.
  for (const key of keys)
    found[key] = await answered((done) => store.get(`["${key.replaceAll(/["\\]/g, "\\$&")}"]`, done));
  return found;
}

/** Stores in a file or a database answer by a callback only. */
function answered<T>(ask: (done: (error: Error | undefined, answer: unknown) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    ask((error, answer) => (error ? reject(error) : resolve(answer as T)));
  });
}
