import type { Check, Finding } from "../check.ts";

/** An alert node adds up amounts that it cannot, or should not, add. Until it is deployed again. */
export const alertSums: Check = {
  name: "alert-sums",
  find: ({ activity, flows }) =>
    activity.alertSums
      .all()
      .filter(({ node }) => flows.get(node))
      .map(
        ({ problem, instance, ...origin }): Finding => ({
          case: problem,
          severity: "warning",
          origin,
          detail: instance,
          values: { node: origin.label },
        }),
      ),
};
