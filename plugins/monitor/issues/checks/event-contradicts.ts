import type { ContradictionReport } from "../../../../nodes/lib/runtime/activity/types.ts";
import type { Check, Finding } from "../check.ts";

/** A node received one log with different parameters. Until Node-RED restarts. */
export const eventContradicts: Check = {
  name: "event-contradicts",
  find: ({ activity, flows }) => {
    const byNode = new Map<string, ContradictionReport[]>();
    for (const one of activity.contradictions.all()) {
      if (flows.get(one.node)) byNode.set(one.node, [...(byNode.get(one.node) ?? []), one]);
    }
    return [...byNode.values()].flatMap((all): Finding[] => {
      const last = all.at(-1);
      if (last === undefined) return [];
      const { log, seenAt: _seenAt, ...origin } = last;
      return [{ case: "log", severity: "warning", origin, values: { node: origin.label, log } }];
    });
  },
};
