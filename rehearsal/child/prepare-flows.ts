import { isBuiltin } from "node:module";
import { quotedKey } from "../shared/context-key.ts";
import type { FlowNode, Job } from "../shared/job.ts";
import type { Note } from "../shared/report.ts";
import type { NodeRed } from "./node-red.ts";

/**
 * Flows that start: Node-RED starts none of them while a module of a function node is not installed, and nothing is
 * installed in a rehearsal. Without its module, such a function reports an error when it runs.
 */
export function runnable(flows: readonly FlowNode[], notes: Note[]): FlowNode[] {
  return flows.map((node) => {
    if (node.type !== "function" || !Array.isArray(node.libs)) return node;
    const libs = node.libs as ReadonlyArray<{ module?: unknown }>;
    const own = libs.filter(({ module }) => typeof module === "string" && isBuiltin(module));
    if (own.length === libs.length) return node;
    const names = libs.filter((lib) => !own.includes(lib)).map(({ module }) => String(module));
    notes.push({
      kind: "not-found",
      node: node.id,
      text: `Modules of functions are not loaded in a rehearsal: ${names.join(", ")}.`,
    });
    return { ...node, libs: own };
  });
}

/** Before the flows start: a function may read it at once. A key that no node could read is left out. */
export function copyContext({ context }: NodeRed, { context: copy, flows }: Job): void {
  if (copy === undefined) return;
  const tabs = new Map(flows.map(({ id, z }) => [id, z]));
  const setAll = (target: { set(key: string, value: unknown): void }, values: object) => {
    for (const [key, value] of Object.entries(values)) {
      const quoted = quotedKey(key);
      if (quoted !== undefined) target.set(quoted, value);
    }
  };
  setAll(context("global"), copy.global);
  for (const [id, values] of Object.entries(copy.flows)) setAll(context(id), values);
  for (const [id, values] of Object.entries(copy.nodes)) setAll(context(id, tabs.get(id)), values);
}
