import type { NodeAPI } from "node-red";
import type { ChildHost } from "../host.ts";
import { wrapOurNodes } from "./acting.ts";
import { registerConnection } from "./connection.ts";
import { registerEventsIn } from "./events-in.ts";
import { registerSigner } from "./signer.ts";
import { withTextsOf } from "./texts.ts";
import { todaysQueries } from "./today.ts";
import { rehearsalDispatcher } from "./transport.ts";

/**
 * Registers what takes the place of our connection, signer and events in. All other nodes of ours run as they are, and
 * reach the service by this connection. The types must not be registered yet, and no flow may be started.
 */
export function registerOurNodes(RED: NodeAPI, host: ChildHost): void {
  const today = todaysQueries(host);
  const nodeClass = registerConnection(
    withTextsOf(RED, "connection"),
    rehearsalDispatcher(host, today),
    today,
  );
  wrapOurNodes(nodeClass, { RED, host });
  registerSigner(withTextsOf(RED, "signer"));
  registerEventsIn(withTextsOf(RED, "events-in"), host);
}
