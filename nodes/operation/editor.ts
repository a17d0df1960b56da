import { followChoice, OPERATION_TIMEOUT } from "../lib/editor/dependent-number.ts";
import type { NodeForm } from "../lib/editor/node-form.ts";
import { isNew } from "../lib/editor/only-choice.ts";
import { explainUnproven } from "../lib/editor/unproven.ts";

export const form: NodeForm = {
  label: (node) =>
    node.action === "wait" && node.waitFor
      ? node._("operation.label-of.wait", { status: node._(`operation.waitFor.${String(node.waitFor)}`) })
      : node._(`operation.action.${String(node.action)}`),
  // The default of finalizing is the acceptance by the service: a person who approves wants to know what came of it.
  added(node) {
    if (isNew(node)) node.waitFor = "confirmed_latest";
  },
  opened(node) {
    explainUnproven(node);
    followChoice(node, OPERATION_TIMEOUT);
  },
};
