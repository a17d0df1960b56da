import type { NodeAPI } from "node-red";

/** A deploy stops flows and starts them again, and nodes may take some time for that. */
const DEPLOY_MS = 30_000;

/** Whether the flows run. They do not while Node-RED starts, where node types are missing, and in safe mode. */
export function flowsRunning(
  RED: Pick<NodeAPI, "events" | "nodes">,
  now = () => performance.now(),
): () => boolean {
  let isStarted = isInstalledLater(RED);
  let stoppedAt: number | undefined;
  RED.events.on("flows:started", () => {
    isStarted = true;
    stoppedAt = undefined;
  });
  RED.events.on("flows:stopped", () => {
    stoppedAt ??= now();
  });
  return () => isStarted && (stoppedAt === undefined || now() - stoppedAt < DEPLOY_MS);
}

/** By the palette manager, when the flows have started: they are loaded after the plugins. */
function isInstalledLater(RED: Pick<NodeAPI, "nodes">): boolean {
  try {
    RED.nodes.eachNode(() => undefined);
    return true;
  } catch {
    return false;
  }
}
