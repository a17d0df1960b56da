import type { NodeForm } from "../lib/editor/node-form.ts";
import { explainUnproven } from "../lib/editor/unproven.ts";

export const form: NodeForm = {
  label: (node) => node._(`operation.action.${String(node.action)}`),
  opened: explainUnproven,
};
