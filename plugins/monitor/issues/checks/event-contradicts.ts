import type { Check, Finding } from "../check.ts";

/** A node received one log with different parameters. Until Node-RED restarts. */
export const eventContradicts: Check = {
  name: "event-contradicts",
  find: ({ activity, flows }) => {
    const lastOfNode = new Map(activity.contradictions.all().map((one) => [one.node, one]));
    return [...lastOfNode.values()]
      .filter(({ node }) => flows.get(node))
      .map(({ log, seenAt: _seenAt, ...origin }): Finding => {
        return { case: "log", severity: "warning", origin, values: { node: origin.label, log } };
      });
  },
};
