import type { NodeAPI } from "node-red";

/** Whether a context store is only in memory. Without any settings, Node-RED has one in memory. */
export function isInMemory(settings: NodeAPI["settings"], name: string): boolean {
  const { contextStorage } = settings as { contextStorage?: Record<string, unknown> };
  if (!contextStorage || Object.keys(contextStorage).length === 0) return true;
  const named = contextStorage[name];
  // The default may be the name of another one.
  const found = typeof named === "string" ? contextStorage[named] : named;
  return (found as { module?: unknown } | undefined)?.module === "memory";
}
