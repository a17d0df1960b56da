import type { Check, Finding } from "../check.ts";
import { configProblems } from "../config-problems.ts";

/** Another check is about it, and says more. */
const ELSEWHERE = "CONSUMER_NAME_TAKEN";

/** An events in node has ended with an error, and does not try again. */
export const readerStopped: Check = {
  name: "reader-stopped",
  find: ({ RED, flows, activity }) => {
    const ofConfig = configProblems(RED, flows);
    return activity.readers.reports().flatMap(({ node, flow, type, label, state, problem }): Finding[] => {
      if (state !== "stopped" || !problem || problem.code === ELSEWHERE) return [];
      // The config node has the issue.
      if (!flows.get(node) || ofConfig.has(problem.message)) return [];
      const origin = { node, flow, type, label };
      const values = { node: label, reason: problem.message };
      return [{ case: "stopped", severity: "error", origin, detail: problem.code, values }];
    });
  },
};
