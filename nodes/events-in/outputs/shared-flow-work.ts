import type { NodeAPI } from "node-red";
import { FlowWork } from "./flow-work.ts";
import type { LeftInFlow } from "./in-flow.ts";

/** A reader: its node, and whose cursor it moves. */
type ReaderKey = { node: string; consumer: string; channelId: string };

type Left = { reader: ReaderKey; events: LeftInFlow };
type Host = Pick<NodeAPI, "hooks" | "events" | "nodes">;
type Shared = { flowWork: FlowWork; users: number; left: Left[]; forgetGone: () => void };

const shared = new WeakMap<object, Shared>();

/**
 * What follows messages in this Node-RED, for all readers. `left` is what this reader had in the flow when it was closed
 * the last time. `leave` when the reader is closed, with what is in the flow then.
 */
export function useFlowWork(host: Host, reader: ReaderKey) {
  const { hooks } = host;
  const own = shared.get(hooks) ?? begin(host);
  shared.set(hooks, own);
  own.users += 1;
  const left = own.left.find((one) => isSame(one.reader, reader));
  // One that reads something else now does not come back for what it left.
  own.left = own.left.filter((one) => one.reader.node !== reader.node);
  let hasLeft = false;
  const leave = (events: LeftInFlow): void => {
    if (hasLeft) return;
    hasLeft = true;
    own.users -= 1;
    if (events.size > 0) own.left.push({ reader, events });
    endIfUnused(host, own);
  };
  return { flowWork: own.flowWork, left: left?.events, leave };
}

function begin(host: Host): Shared {
  const own: Shared = {
    ...{ flowWork: new FlowWork(), users: 0, left: [] },
    forgetGone: () => {
      own.left = own.left.filter(({ reader }) => host.nodes.getNode(reader.node));
      endIfUnused(host, own);
    },
  };
  own.flowWork.listen(host);
  host.events.on("flows:started", own.forgetGone);
  return own;
}

/** Goes on while a reader may come back for what it left. */
function endIfUnused(host: Host, own: Shared): void {
  if (own.users > 0 || own.left.length > 0) return;
  own.flowWork.stopListening(host);
  host.events.off("flows:started", own.forgetGone);
  shared.delete(host.hooks);
}

function isSame(a: ReaderKey, b: ReaderKey): boolean {
  return a.node === b.node && a.consumer === b.consumer && a.channelId === b.channelId;
}
