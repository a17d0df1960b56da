import type { Check, Finding } from "../check.ts";

/** The service reported that an operation was not executed, and the chain executed it. Until Node-RED restarts. */
export const executedAfterAll: Check = {
  name: "executed-after-all",
  find: ({ activity, flows }) => {
    const lastOfNode = new Map(
      activity.ended.all().flatMap((one) => (one.isExecutedAfterAll ? [[one.node, one] as const] : [])),
    );
    return [...lastOfNode.values()]
      .filter(({ node }) => flows.get(node))
      .map(({ flow, node, type, label, operationId = "" }): Finding => {
        const origin = { flow, node, type, label };
        return { case: "operation", severity: "error", origin, values: { node: label, id: operationId } };
      });
  },
};
