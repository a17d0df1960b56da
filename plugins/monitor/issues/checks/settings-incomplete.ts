import { labelOf } from "../../../../nodes/common/telemetry/origin.ts";
import type { Check, Finding, Scene } from "../check.ts";
import { configProblems } from "../config-problems.ts";

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
    flows.disabledConfigOf(node).map((config): Finding => {
      const origin = flows.originOf(node);
      const values = { node: origin.label, config: labelOf(config) };
      return { case: "disabled", severity: "error", origin, detail: config.id, values };
    }),
  );
}
