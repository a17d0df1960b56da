import { ServerResponse } from "node:http";
import type { Node, NodeAPI } from "node-red";
import { onFlowsStarted } from "../flows/flows-started.ts";
import { processWide } from "../process-wide.ts";
import { isObject } from "../shared/collections.ts";

/** Of a message of http in, whose client waits until http response answers. */
type WebRequest = { req?: unknown; res?: unknown; [property: string]: unknown };

type Held = { request: WebRequest; response: ServerResponse; forget: () => void };

/** Over a deploy, by the names of the files of their waits, which cannot hold a connection. */
const held = processWide("held-requests", () => new Map<string, Held>());
/** Responses whose end is noticed: a listener for each of many waits would be too many. */
const watched = new WeakSet<ServerResponse>();

/** Keeps the request of a message whose wait is in this file, until the wait is resumed or the client has gone. */
export function holdRequest(RED: NodeAPI, node: Node, file: string, { req, res }: WebRequest): void {
  const request = { req, res };
  const response = openResponse(request);
  if (response === undefined) return;
  if (!watched.has(response)) response.once("close", () => forgetAll(response));
  watched.add(response);
  // A node that is deleted or disabled does not resume its waits.
  const look = () => {
    if (RED.nodes.getNode(node.id)?.type !== node.type) return refuseRequest(RED, request);
    forget = onFlowsStarted(RED, look);
  };
  let forget = onFlowsStarted(RED, look);
  held.set(file, { request, response, forget: () => forget() });
}

/** What is held for the wait in this file, from now on in the hands of the caller. Empty once it was answered. */
export function takeRequest(file: string): WebRequest {
  const one = held.get(file);
  one?.forget();
  held.delete(file);
  return one && openResponse(one.request) ? one.request : {};
}

/** Answers the request of a message that does not continue, if it has one. No other node can answer it then. */
export function refuseRequest(RED: NodeAPI, msg: WebRequest): void {
  const response = openResponse(msg);
  if (response === undefined) return;
  Reflect.deleteProperty(msg, "res");
  response.writeHead(503, { "content-type": "text/plain; charset=utf-8" });
  response.end(RED._("common.warning.request-unanswered"));
}

function forgetAll(response: ServerResponse): void {
  for (const [file, one] of held) if (one.response === response) takeRequest(file);
}

/** Undefined where there is none, it was answered, or its client has gone. */
function openResponse({ res }: WebRequest): ServerResponse | undefined {
  // http in wraps it.
  const response = isObject(res) ? (res._res ?? res) : undefined;
  const isOpen = response instanceof ServerResponse && !response.headersSent && !response.destroyed;
  return isOpen ? response : undefined;
}
