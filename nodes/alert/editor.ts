import type { EditedNode } from "../common/editor/api.ts";
import { formConditions } from "../common/editor/conditions/form-conditions.ts";
import { offerFields } from "../common/editor/conditions/offer-fields.ts";
import { inputOf, partOf } from "../common/editor/form-fields.ts";
import { hintUnder } from "../common/editor/form-rows.ts";
import { warnOfMissingDecimals } from "../common/editor/missing-decimals.ts";
import type { NodeForm } from "../common/editor/node-form.ts";
import { isChosen } from "../common/shared/config-choice.ts";
import { showPreview } from "./editor-preview.ts";
import { showSummary } from "./editor-summary.ts";
import { NODE } from "./fields.ts";

const conditions = formConditions();
const endConditions = formConditions("endConditions");

export const form: NodeForm = {
  label: (node) => String(node.title ?? "").replaceAll(/\{\{[^{}]*\}\}/g, "…"),
  checks: { conditions: conditions.check, endConditions: endConditions.check },
  opened(node) {
    const contract = inputOf("contract");
    const rows = conditions.open(node, partOf(NODE, "conditions"), { contract, startsWithOne: true });
    const none = node._("alert.error.endConditions");
    endConditions.open(node, partOf(NODE, "endConditions"), { contract, none });
    warnOfMissingDecimals(node);
    offerFields(inputOf("sumField"), rows.groups, ({ kind }) => kind === "number");
    offerFields(inputOf("forEachField"), rows.groups);
    warnOfMissingChannel(node);
    showSummary(node, rows);
    showPreview(node, rows);
  },
  cancelled() {
    conditions.cancelled();
    endConditions.cancelled();
  },
  saved(node) {
    conditions.saved(node);
    endConditions.saved(node);
  },
};

/** Only the channel can tell an outage from an absence. */
function warnOfMissingChannel(node: EditedNode): void {
  const channel = inputOf("channel");
  const hint = hintUnder(inputOf("absentFor"));
  const show = (): void => hint.say(isChosen(channel.val()) ? "" : node._("alert.hint.absence-channel"));
  channel.on("change", show);
  show();
}
