import type { FlowNode } from "../../../../nodes/common/flows/flows.ts";
import { stateFolder } from "../../../../nodes/common/folder/state-folder.ts";
import type { Check, Finding, Scene } from "../check.ts";
import { isInMemory } from "../context-store.ts";
import { lossOf } from "../lost-folder.ts";

/** What nodes must remember is in a place that a restart empties. */
export const stateLost: Check = {
  name: "state-lost",
  find: async ({ RED, flows }) => {
    const ofStores = flows
      .ofType("crec-events-in")
      .filter(({ store, fleet }) => !hasFleet(fleet) && store && isInMemory(RED.settings, String(store)))
      .map((node): Finding => {
        const origin = flows.originOf(node);
        const values = { node: origin.label, store: String(node.store) };
        return { case: "memory-store", severity: "warning", origin, values };
      });
    const [first] = nodesWithFiles(flows);
    const folder = stateFolder(RED).path;
    const loss = first ? await lossOf(folder) : undefined;
    if (!first || !loss) return ofStores;
    const origin = flows.originOf(first);
    return [...ofStores, { case: loss, severity: "error", origin, values: { folder } }];
  },
};

/** In an order that a deploy does not change: the first one stands for all of them. */
function nodesWithFiles(flows: Scene["flows"]): FlowNode[] {
  return flows
    .ofType("crec-events-in", "crec-verify-event", "crec-alert")
    .filter(({ type, store, fleet, firstTimeOnly }) => {
      const isKept = type !== "crec-verify-event" || firstTimeOnly === true;
      return isKept && !store && !hasFleet(fleet);
    })
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

function hasFleet(fleet: unknown): boolean {
  return Boolean(fleet || process.env.CREC_FLEET_URL);
}
