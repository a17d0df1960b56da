import { nodeRedImport } from "../../flow-variables.ts";
import type { Routes } from "../routes.ts";

/** It has the key of the demo wallets: without an API key only where that is public, as the time line. */
export const NODE_RED_PATH = "/local/node-red.json";

/** The variables of the example flows, by the origin under which a client calls the service. */
export type FlowVariablesAt = (origin: string) => Record<string, string>;

/** What a person imports into Node-RED, so that the example flows use this service. */
export function nodeRedRoute(app: Routes, variablesAt: FlowVariablesAt): void {
  app.get("/node-red.json", { schema: { hide: true } }, ({ headers }, reply) => {
    reply.headers({
      "cache-control": "no-store",
      "cross-origin-resource-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "content-type": "application/json; charset=utf-8",
    });
    return JSON.stringify(nodeRedImport(variablesAt(new URL(`http://${headers.host}`).origin)), undefined, 2);
  });
}
