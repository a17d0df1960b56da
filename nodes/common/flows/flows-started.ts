import type { NodeAPI } from "node-red";

/** What waits until all flows are started. One listener for all nodes: Node-RED warns of more than ten. */
const waiting = new Set<() => void>();

/** Calls back once all flows are started. Gives the function that forgets it. */
export function onFlowsStarted({ events }: NodeAPI, call: () => void): () => void {
  if (waiting.size === 0) events.once("flows:started", callAll);
  waiting.add(call);
  return () => {
    waiting.delete(call);
    if (waiting.size === 0) events.removeListener("flows:started", callAll);
  };
}

function callAll(): void {
  const calls = [...waiting];
  waiting.clear();
  for (const call of calls) call();
}

let isRestarting = false;

/** Has to be called once, before the first deploy. */
export function watchRestarts({ events }: NodeAPI): void {
  events.on("flows:stopping", () => {
    isRestarting = true;
  });
  events.on("flows:started", () => {
    isRestarting = false;
  });
}

/** Whether a deploy has stopped nodes and has not started all of them yet. */
export function areFlowsRestarting(): boolean {
  return isRestarting;
}
