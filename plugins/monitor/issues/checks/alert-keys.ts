import type { Check, Finding } from "../check.ts";

/** An alert node had more keys than it can count, or more than it can remember. Until it is deployed again, or Node-RED restarts. */
export const alertKeys: Check = {
  name: "alert-keys",
  find: ({ activity, flows }) =>
    activity.keyLimits
      .all()
      .filter(({ node }) => flows.get(node))
      .map(({ notCounted, forgotten, forgottenEvents, instance, ...origin }): Finding => {
        const finding = (name: string, number: number): Finding => ({
          case: name,
          severity: name === "not-counted" ? "error" : "warning",
          origin,
          detail: instance,
          values: { node: origin.label, number },
        });
        if (notCounted > 0) return finding("not-counted", notCounted);
        return forgotten > 0 ? finding("forgotten", forgotten) : finding("forgotten-events", forgottenEvents);
      }),
};
