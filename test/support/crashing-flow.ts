import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { functionNode } from "./flow-harness.ts";
import type { FlowNode } from "./node-red.ts";
import type { NodeRedWithChannel } from "./node-red-with-channel.ts";
import { channelNode, connectionNode, eventsInNode } from "./nodes.ts";

/** The tab of a flow that an event ends Node-RED in. */
export const CRASH_TAB = "crash-tab";
/** Of a function node: ends Node-RED at the event with this offset. */
export const KILL = "if (msg.crec.offset === 1) process.exit(1);";

export function killer(id: string, func: string): FlowNode {
  return {
    ...functionNode(id, func, []),
    ...{ z: CRASH_TAB, libs: [{ var: "process", module: "process" }] },
  };
}

/** How the reader of such a flow counts. `crashes`: after how many an event is rejected. */
export type CrashingReader = { consumer: string; commit: string; crashes: number };

/**
 * Deploys nodes behind a reader that begins at the next start, since it may end Node-RED before a deploy has ended. The
 * first node has the id "first".
 */
export async function deployCrashing(
  stage: NodeRedWithChannel,
  { consumer, commit, crashes }: CrashingReader,
  nodes: readonly FlowNode[],
): Promise<void> {
  const reader = eventsInNode({
    ...{ id: "reader", z: CRASH_TAB, d: true, consumer, verify: false, commit },
    ...{ crashes: String(crashes), start: "beginning", wires: [["first"], []] },
  });
  const connection = connectionNode(stage.service.ready);
  const channel = channelNode({ channel: stage.service.channelName });
  await (await stage.launch()).deploy([
    { id: CRASH_TAB, type: "tab", label: "crashes" },
    ...[connection, channel, reader],
    ...nodes,
  ]);
  await stage.nodeRed?.stop();
  const file = join(stage.userDir.path, "flows.json");
  const flows = JSON.parse(await readFile(file, "utf8")) as FlowNode[];
  await writeFile(file, JSON.stringify(flows.map(({ d, ...node }) => node)));
}
