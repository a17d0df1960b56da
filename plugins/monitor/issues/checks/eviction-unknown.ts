import { type FleetNode, type FleetRef, fleetOfEnvironment } from "../../../../nodes/common/fleet/fleet.ts";
import { isEvictionUnknown } from "../../../../nodes/common/fleet/join-fleet.ts";
import type { FlowNode } from "../../../../nodes/common/flows/flows.ts";
import type { Check, Finding } from "../check.ts";

const USERS = ["crec-events-in", "crec-verify-event", "crec-alert", "crec-submit-operation"];

/** A Redis does not say whether it may evict what copies share: its user may not ask. */
export const evictionUnknown: Check = {
  name: "eviction-unknown",
  find: async ({ RED, flows }) => {
    const found: Finding[] = [];
    const add = async (node: FlowNode | undefined, ref: FleetRef | undefined, kind: string) => {
      if (!node || !ref || !(await isEvictionUnknown(ref.settings))) return;
      const origin = flows.originOf(node);
      found.push({ case: kind, severity: "warning", origin, values: { node: origin.label } });
    };
    for (const node of flows.ofType("crec-fleet"))
      await add(node, (RED.nodes.getNode(node.id) as Partial<FleetNode> | null)?.fleet, "node");
    // One of the nodes that use it stands for all: no config node says the URL.
    const [user] = flows
      .ofType(...USERS)
      .filter(({ fleet }) => !fleet)
      .toSorted((one, other) => (one.id < other.id ? -1 : 1));
    await add(user, fleetOfEnvironment(), "environment");
    return found;
  },
};
