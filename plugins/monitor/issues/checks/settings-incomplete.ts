import type { Check } from "../check.ts";
import { configProblems } from "../config-problems.ts";

/** A config node that is in use cannot work with its settings. */
export const settingsIncomplete: Check = {
  name: "settings-incomplete",
  find: ({ RED, flows }) =>
    [...configProblems(RED, flows).values()].map(({ node, problem }) => {
      const origin = flows.originOf(node);
      const values = { node: origin.label, reason: problem.message };
      return { case: "problem", severity: "error", origin, detail: problem.code, values };
    }),
};
