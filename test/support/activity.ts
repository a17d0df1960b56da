import { fileURLToPath } from "node:url";
import type {
  ConnectionReport,
  EventReport,
  OperationReport,
  ReaderReport,
  ResourceReport,
} from "../../nodes/common/telemetry/types.ts";
import { eventually } from "./eventually.ts";
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

export async function reported(nodeRed: NodeRed): Promise<Reported> {
  return (await (await nodeRed.fetch("test/activity")).json()) as Reported;
}

/** The first reports in which `find` finds something. */
export async function reportedWith<T>(nodeRed: NodeRed, find: (all: Reported) => T | undefined): Promise<T> {
  const look = async () => {
    const all = await reported(nodeRed);
    return { all, found: find(all) };
  };
  const { found } = await eventually("another report of the nodes", look, (seen) => seen.found !== undefined);
  return found as T;
}
