import { inputOf } from "../lib/editor/form-fields.ts";
import { describeUnder, lookUp } from "../lib/editor/lookup.ts";
import type { NodeForm } from "../lib/editor/node-form.ts";
import { TEXT_TYPES } from "../lib/shared/fields.ts";

export const form: NodeForm = {
  label: (node) => node._(`manage.action.${String(node.action)}`),
  opened(node) {
    const [action, channel, connection] = [inputOf("action"), inputOf("channel"), inputOf("connection")];
    const resource = () => chosen(action).split(".")[0] ?? "";
    const asked = () => chosen(["watchers", "queries"].includes(resource()) ? channel : connection);
    const label = node._("common.label.typed");
    const icon = "red/images/typedInput/az.svg";
    const text = { value: "str", label, icon, autoComplete: lookUp(resource, asked) };
    inputOf("target").typedInput("types", [text, ...TEXT_TYPES.slice(1)]);
    const described = describeUnder(node, inputOf("target"), resource, asked);
    action
      .add(channel)
      .add(connection)
      .on("change", () => described.now());
  },
};

function chosen(input: JQuery): string {
  return String(input.val() ?? "");
}
