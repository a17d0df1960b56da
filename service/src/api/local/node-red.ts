import type { IncomingHttpHeaders } from "node:http";
import { invalid } from "../../errors.ts";
import { nodeRedImport } from "../../flow-variables.ts";
import type { Routes } from "../routes.ts";

/** The answer has the signing key of the examples. Like the time line, it needs no API key where that is public. */
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
    return JSON.stringify(nodeRedImport(variablesAt(originCalled(headers.host))), undefined, 2);
  });
}

/**
 * Whether a person opens this in a tab of a browser, perhaps by a link in a guide on the web. The page with the link
 * cannot read the tab. Scripts of pages cannot set these headers.
 */
export function isOpenedInTab(headers: IncomingHttpHeaders): boolean {
  return headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
}

/**
 * The origin under which a client calls the service: in a network, that is another one than the service listens on.
 *
 * @throws ApiError 400
 */
export function originCalled(host: string | undefined): string {
  const url = host === undefined ? null : URL.parse(`http://${host}`);
  if (url !== null) return url.origin;
  throw invalid("The header Host is missing or invalid. Send the address of this service in it.");
}
