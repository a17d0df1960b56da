import type { NodeMessage } from "node-red";

/** A message as it travels through our nodes. `crec` carries ids and what was found out about them. */
export type CrecMessage = NodeMessage & { crec?: Record<string, unknown>; [key: string]: unknown };
