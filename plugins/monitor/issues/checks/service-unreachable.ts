import type { Check, Finding } from "../check.ts";

/** A service does not answer. Until it does, what else is missing says little. */
export const serviceUnreachable: Check = {
  name: "service-unreachable",
  find: ({ flows, activity }) =>
    activity.connections.reports().flatMap(({ node, flow, type, label, state, problem }): Finding[] => {
      if (state !== "unreachable" || !flows.get(node)) return [];
      const values = { connection: label, reason: problem?.message ?? "" };
      return [{ case: "unreachable", severity: "error", origin: { node, flow, type, label }, values }];
    }),
};
