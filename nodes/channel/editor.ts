import type { NodeForm } from "../common/editor/node-form.ts";

export const form: NodeForm = {
  label: (node) => String(node.channel || "") || node._("channel.title"),
};
