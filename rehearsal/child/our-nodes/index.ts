import type { NodeAPI } from "node-red";
import { nodeRedContext } from "../../../nodes/common/context.ts";
import { holdAlone } from "../../../nodes/common/folder/shared-folder.ts";
import { keepStateInMemory, stateFolderFor } from "../../../nodes/common/folder/state-folder.ts";
import { loadLibrary } from "../../../nodes/common/library.ts";
import type { RehearsalContext } from "../host.ts";
import { wrapOurNodes } from "./acting.ts";
import { registerConnection, registerFleet, registerSigner } from "./config-nodes.ts";
import { registerEventsIn } from "./events-in.ts";
import { queryHistory, rehearsalDispatcher } from "./transport.ts";

/**
 * Registers what takes the place of our connection, fleet, signer and events in. All other nodes of ours run as they are, and
 * reach the service by this connection. The types must not be registered yet, and no flow may be started.
 */
export function registerOurNodes(context: RehearsalContext): void {
  const { RED, host } = context;
  const library = loadLibrary();
  library.catch(() => undefined);
  keepStateInMemory();
  holdAlone(stateFolderFor(RED, "cursors"));
  const history = queryHistory(host);
  const nodeClass = registerConnection(
    withTextsOf(context, "connection"),
    rehearsalDispatcher(host, history),
    history,
  );
  wrapOurNodes(nodeClass, context);
  registerFleet(withTextsOf(context, "fleet"), library);
  registerSigner(withTextsOf(context, "signer"));
  registerEventsIn(withTextsOf(context, "events-in"));
}

const PACKAGE = "@crec-nodes/node-red-crec";

/** The same, with the texts of one of our nodes: a replaced node is not registered by its own file. */
function withTextsOf(context: RehearsalContext, node: string): RehearsalContext {
  const text = (key: string, ...values: unknown[]): string => {
    const translate = context.RED._ as (key: string, ...values: unknown[]) => string;
    return translate(key.includes(":") ? key : `${PACKAGE}/${node}:${key}`, ...values);
  };
  const RED = Object.create(context.RED, { _: { value: text } }) as NodeAPI;
  return { ...context, ...nodeRedContext(RED) };
}
