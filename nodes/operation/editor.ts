import { followChoice, OPERATION_TIMEOUT } from "../lib/editor/dependent-number.ts";
import type { NodeForm } from "../lib/editor/node-form.ts";
import { explainUnproven } from "../lib/editor/unproven.ts";

export const form: NodeForm = {
  label: (node) =>
    node.action === "wait" && node.waitFor
      ? node._("operation.label-of.wait", { status: String(node.waitFor) })
      : node._(`operation.action.${String(node.action)}`),
  opened(node) {
    explainUnproven(node);
    followChoice(node, OPERATION_TIMEOUT);
  },
};
