import type { FlowNode } from "../../../../nodes/common/flows/flows.ts";
import type { Check, Finding } from "../check.ts";

/** An alert node that reports the end of its condition, which no event of the same name can end. */
export const alertEnd: Check = {
  name: "alert-end",
  find: ({ flows }) =>
    flows
      .ofType("crec-alert")
      .filter(neverEnds)
      .map((node): Finding => {
        const origin = flows.originOf(node);
        return { case: "never", severity: "warning", origin, values: { node: origin.label } };
      }),
};

function neverEnds({ recovers, when = "each", endsWhen, conditions }: FlowNode): boolean {
  if (recovers !== true || when !== "each" || endsWhen === "conditions") return false;
  const rows = Array.isArray(conditions) ? conditions : [];
  return rows.length > 0 && rows.every((row) => row?.kind === "field" && row.field === "name");
}
