import { inputOf } from "../common/editor/form-rows.ts";
import { describeUnder, lookUp } from "../common/editor/lookups/lookup.ts";
import type { NodeForm } from "../common/editor/node-form.ts";
import { configName } from "../common/editor/node-label.ts";
import { TEXT_TYPES } from "../common/shared/common-fields.ts";
import { type ManageAction, needs } from "./fields.ts";

export const form: NodeForm = {
  label: (node) => {
    const action = String(node.action || "channels.list") as ManageAction;
    const words = node._(`manage.label-of.${action}`);
    if (needs(action, "wallet")) return `${words} ${configName(node.wallet)}`.trim();
    const isTyped = needs(action, "target") && (node.targetType || "str") === "str";
    return isTyped ? `${words} ${String(node.target ?? "")}`.trim() : words;
  },
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
