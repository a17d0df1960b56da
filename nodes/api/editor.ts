import type { NodeForm } from "../common/editor/node-form.ts";

export const form: NodeForm = {
  label: ({ method, path, pathType }) => (pathType === "str" ? `${method} ${path}` : String(method)),
};
