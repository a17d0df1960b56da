import type { Check, Finding } from "../check.ts";

/** An alert node had more keys than it can count or remember. Until it is deployed again, or Node-RED restarts. */
export const alertKeys: Check = {
  name: "alert-keys",
  find: ({ activity, flows }) =>
    activity.keyLimits
      .all()
      .filter(({ node }) => flows.get(node))
      .map(({ notCounted, forgotten, instance, ...origin }): Finding => {
        const isCounting = notCounted === 0;
        return {
          case: isCounting ? "forgotten" : "not-counted",
          severity: isCounting ? "warning" : "error",
          origin,
          detail: instance,
          values: { node: origin.label, number: isCounting ? forgotten : notCounted },
        };
      }),
};
