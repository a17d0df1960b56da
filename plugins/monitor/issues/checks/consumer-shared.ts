import type { FlowNode } from "../../../../nodes/common/flows/flows.ts";
import type { Check, Finding } from "../check.ts";
import { consumersElsewhere } from "../other-projects.ts";
import { readersOf, textOf } from "../settings.ts";

/** Two events in nodes have one consumer name, so only one of them reads; or each continues where the other one stopped. */
export const consumerShared: Check = {
  name: "consumer-shared",
  find: async ({ RED, flows, startedAt }) => {
    const elsewhere = await consumersElsewhere(RED, startedAt);
    const reads = (node: FlowNode) => readersOf(RED, flows.runningIds(node)).length > 0;
    const byCursor = new Map<string, FlowNode>();
    const found: Finding[] = [];
    const nodes = flows
      .ofType("crec-events-in")
      .toSorted((one, other) => Number(reads(other)) - Number(reads(one)) || (one.id < other.id ? -1 : 1));
    for (const node of nodes) {
      const consumer = textOf(RED, node, "consumer");
      if (!consumer) continue;
      const origin = flows.originOf(node);
      const key = [node.fleet, node.fleet ? "" : node.store, consumer].map((one) => one || "").join("\n");
      const other = byCursor.get(key);
      byCursor.set(key, other ?? node);
      const values = { node: origin.label, consumer };
      const common = { severity: "error" as const, origin };
      if (other) {
        const buttons = [{ kind: "open", node: other.id } as const];
        const both = { ...values, other: flows.originOf(other).label };
        found.push({ ...common, case: "two-nodes", detail: other.id, values: both, buttons });
      }
      const count = flows.runningIds(node).length;
      if (count > 1) found.push({ ...common, case: "subflow", values: { ...values, count } });
      const project = elsewhere.get(consumer);
      if (project !== undefined)
        found.push({ ...common, severity: "warning", case: "project", values: { ...values, project } });
    }
    return found;
  },
};
