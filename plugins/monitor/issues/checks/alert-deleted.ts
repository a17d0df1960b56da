import { cutAtWord } from "../../../../nodes/common/shared/cut-text.ts";
import type { RaisedAlert } from "../../../../src/index.ts";
import type { Check, Finding } from "../check.ts";
import { leftOpen } from "../left-open.ts";

const MOST_TITLES = 3;
const LONGEST_TITLE = 80;

/** A deleted alert node left alerts open where they were sent to: no message will say that they ended. */
export const alertDeleted: Check = {
  name: "alert-deleted",
  find: async ({ RED, flows }) =>
    (await leftOpen(RED, flows)).map(
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
