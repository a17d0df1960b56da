import type { FlowNode } from "../../../../nodes/common/flows/flows.ts";
import { cutAtWord } from "../../../../nodes/common/shared/text.ts";
import type { RaisedAlert } from "../../../../src/index.ts";
import type { Check, Finding } from "../check-context.ts";
import { leftOpen } from "../left-open.ts";

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

const MOST_TITLES = 3;
const LONGEST_TITLE = 80;

/** A deleted alert node left alerts open where they were sent to: no message will say that they ended. */
export const alertDeleted: Check = {
  name: "alert-deleted",
  find: async (context) =>
    (await leftOpen(context)).map(
      ({ file, label, alerts }): Finding => ({
        case: "open",
        severity: "warning",
        origin: { node: file, flow: "", type: "crec-alert", label },
        isDeleted: true,
        values: { number: alerts.length, alerts: titlesOf(alerts) },
        buttons: [{ kind: "closeAlerts", file }],
      }),
    ),
};

function titlesOf(alerts: readonly RaisedAlert[]): string {
  const titles = alerts.slice(0, MOST_TITLES).map(({ details, key, id }) => {
    const { title } = (details ?? {}) as { title?: unknown };
    const said = typeof title === "string" && title !== "" ? title : key || id;
    return cutAtWord(said, LONGEST_TITLE);
  });
  return [...titles, ...(alerts.length > MOST_TITLES ? ["…"] : [])].join(", ");
}

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
