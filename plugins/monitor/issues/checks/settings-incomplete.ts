import { labelOf } from "../../../../nodes/lib/runtime/activity/origin.ts";
import type { Check, Finding, Scene } from "../check.ts";
import { configProblems } from "../config-problems.ts";

/** The fields of our nodes that name a config node. */
const FIELDS = ["connection", "channel", "contract", "signer", "wallet", "fleet", "tls", "proxy"] as const;

/** A config node that is in use cannot work with its settings, or is disabled. */
export const settingsIncomplete: Check = {
  name: "settings-incomplete",
  find: (scene) => [...problems(scene), ...disabled(scene)],
};

function problems({ RED, flows }: Scene): Finding[] {
  return [...configProblems(RED, flows).values()].map(({ node, problem }) => {
    const origin = flows.originOf(node);
    const values = { node: origin.label, reason: problem.message };
    return { case: "problem", severity: "error", origin, detail: problem.code, values };
  });
}

/** Of each node that uses it, since each of them stops working. */
function disabled({ flows }: Scene): Finding[] {
  const nodes = [...flows.all()].filter(({ type }) => type.startsWith("crec-"));
  return nodes.flatMap((node) =>
    FIELDS.flatMap((field): Finding[] => {
      const found = flows.disabled(node[field]);
      if (!found) return [];
      const origin = flows.originOf(node);
      const values = { node: origin.label, config: labelOf(found) };
      return [{ case: "disabled", severity: "error", origin, detail: found.id, values }];
    }),
  );
}
