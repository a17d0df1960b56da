import { formConditions } from "../lib/editor/conditions/form-conditions.ts";
import { offerFields } from "../lib/editor/conditions/offer-fields.ts";
import { inputOf, partOf } from "../lib/editor/form-fields.ts";
import { warnOfMissingDecimals } from "../lib/editor/missing-decimals.ts";
import type { NodeForm } from "../lib/editor/node-form.ts";
import { showPreview } from "./editor-preview.ts";
import { showSummary } from "./editor-summary.ts";
import { NODE } from "./fields.ts";

const conditions = formConditions();

export const form: NodeForm = {
  label: (node) => String(node.title ?? "").replaceAll(/\{\{[^{}]*\}\}/g, "…"),
  checks: { conditions: conditions.check },
  opened(node) {
    const rows = conditions.open(node, partOf(NODE, "conditions"), {
      contract: inputOf("contract"),
      startsWithOne: true,
    });
    warnOfMissingDecimals(node);
    offerFields(inputOf("sumField"), rows.groups, ({ kind }) => kind === "number");
    offerFields(inputOf("forEachField"), rows.groups);
    showSummary(node, rows);
    showPreview(node, rows);
  },
  cancelled: conditions.cancelled,
  saved: conditions.saved,
};
