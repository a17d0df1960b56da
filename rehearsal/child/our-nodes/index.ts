import type { NodeAPI } from "node-red";
import { holdAlone } from "../../../nodes/common/folder/shared-folder.ts";
import { keepStateInMemory, stateFolderFor } from "../../../nodes/common/folder/state-folder.ts";
import { loadLibrary } from "../../../nodes/common/library.ts";
import type { ChildHost } from "../host.ts";
import { wrapOurNodes } from "./acting.ts";
import { registerConnection } from "./connection.ts";
import { registerEventsIn } from "./events-in.ts";
import { registerFleet } from "./fleet.ts";
import { queryHistory } from "./query-history.ts";
import { registerSigner } from "./signer.ts";
import { withTextsOf } from "./texts.ts";
import { rehearsalDispatcher } from "./transport.ts";

/**
 * Registers what takes the place of our connection, fleet, signer and events in. All other nodes of ours run as they are, and
 * reach the service by this connection. The types must not be registered yet, and no flow may be started.
 */
export function registerOurNodes(RED: NodeAPI, host: ChildHost): void {
  const library = loadLibrary();
  library.catch(() => undefined);
  keepStateInMemory();
  holdAlone(stateFolderFor(RED, "cursors"));
  const today = queryHistory(host);
  const nodeClass = registerConnection(
    withTextsOf(RED, "connection"),
    rehearsalDispatcher(host, today),
    today,
  );
  wrapOurNodes(nodeClass, { RED, host });
  registerFleet(withTextsOf(RED, "fleet"), library);
  registerSigner(withTextsOf(RED, "signer"));
  registerEventsIn(withTextsOf(RED, "events-in"), host);
}
