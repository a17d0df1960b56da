import type { NodeAPI } from "node-red";
import type { ChildHost } from "../host.ts";
import { registerConnection } from "./connection.ts";
import { registerEventsIn } from "./events-in.ts";
import { registerSigner } from "./signer.ts";
import { withTextsOf } from "./texts.ts";
import { rehearsalDispatcher } from "./transport.ts";

/**
 * Registers what takes the place of our connection, signer and events in. All other nodes of ours run as they are, and
 * reach the service by this connection. The types must not be registered yet.
 */
export function registerOurNodes(RED: NodeAPI, host: ChildHost): void {
  registerConnection(withTextsOf(RED, "connection"), rehearsalDispatcher(host));
  registerSigner(withTextsOf(RED, "signer"));
  registerEventsIn(withTextsOf(RED, "events-in"), host);
}
