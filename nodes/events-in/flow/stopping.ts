import type { NodePath } from "./work.ts";

/** What Node-RED says when it stops flows: what kind of deploy does it, and how the flows differ. */
export type Stopping = {
  type?: string;
  diff?: Partial<
    Record<"added" | "changed" | "removed" | "linked" | "rewired" | "flowChanged", readonly string[]>
  >;
};

/**
 * Which nodes a deploy or a stop ends: those of tabs that come, go or change, and those that differ themselves or are in
 * a subflow that does; with the deploy of modified flows also those that are wired to them.
 */
export function stoppedBy({ type = "full", diff }: Stopping): (path: NodePath) => boolean {
  if (type === "full" || diff === undefined) return () => true;
  const { added = [], changed = [], removed = [], linked = [], rewired = [], flowChanged = [] } = diff;
  // A tab counts as changed already when one of its nodes does.
  const tabs = new Set([...flowChanged, ...added, ...removed]);
  const nodes = new Set([...changed, ...removed, ...(type === "flows" ? [...linked, ...rewired] : [])]);
  return ([tab = "", ...inner]) => tabs.has(tab) || inner.some((id) => nodes.has(id));
}

const paths = new WeakMap<object, NodePath>();

/** A node knows its path in a property without a public name. Nodes of tests may have none. */
export function pathOf(node: unknown, id: string): NodePath {
  const { _path: stored, z } = (node ?? {}) as { _path?: string; z?: string };
  const known = node ? paths.get(node) : undefined;
  if (known !== undefined) return known;
  const outer = stored?.split("/") ?? (z ? [z] : []);
  const path = outer.at(-1) === id ? outer : [...outer, id];
  if (node) paths.set(node, path);
  return path;
}
