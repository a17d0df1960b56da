import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type {
  ConnectionReport,
  EventReport,
  OperationReport,
  ReaderReport,
  ResourceReport,
} from "../../nodes/lib/runtime/activity/types.ts";
import type { NodeRed } from "./node-red.ts";

/** All that the nodes of a Node-RED report. */
export type Reported = {
  connections: ConnectionReport[];
  readers: ReaderReport[];
  events: EventReport[];
  underWay: OperationReport[];
  ended: OperationReport[];
  watchers: ResourceReport[];
  wallets: ResourceReport[];
};

/** Settings of a Node-RED that answers `reported`, and where a function node can report in place of nodes. */
export const ACTIVITY_SETTINGS = fileURLToPath(new URL("./activity-settings.cjs", import.meta.url));

const LONGEST_MS = 60_000;

export async function reported(nodeRed: NodeRed): Promise<Reported> {
  return (await (await nodeRed.fetch("test/activity")).json()) as Reported;
}

/** The first reports in which `find` finds something. */
export async function reportedWith<T>(nodeRed: NodeRed, find: (all: Reported) => T | undefined): Promise<T> {
  const until = performance.now() + LONGEST_MS;
  for (;;) {
    const all = await reported(nodeRed);
    const found = find(all);
    if (found !== undefined) return found;
    if (performance.now() > until)
      throw new Error(`The nodes went on reporting ${JSON.stringify(all, null, 1)}`);
    await sleep(50);
  }
}
