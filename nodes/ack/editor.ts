import type { NodeForm } from "../common/editor/node-form.ts";

export const form: NodeForm = {
  label: (node) => node._(`ack.label-of.${String(node.action)}`),
};
