import type { NodeForm } from "../common/editor/node-form.ts";
import { atPresent } from "../common/editor/values/validate.ts";
import { isReference } from "../common/shared/variables.ts";

export const form: NodeForm = {
  label: (node) => node._(`account.action.${node.action === "query" ? "query" : "details"}`),
  checks: {
    variables: (node, value) => {
      const isJson = (atPresent(node, "variablesType") || "json") === "json";
      return isJson && !isObject(String(value ?? "").trim()) ? node._("account.error.variables") : undefined;
    },
  },
};

function isObject(text: string): boolean {
  if (isReference(text)) return true;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
