import type { EditedNode } from "../lib/editor/api.ts";
import { askInDialog } from "../lib/editor/dialog.ts";
import { inputOf, partOf } from "../lib/editor/form-fields.ts";
import { NODE } from "./fields.ts";
import { DEMO_ABIS, EXTENSION_ABIS, STANDARD_ABIS } from "./known-abis.ts";

/** Buttons that fill in the ABI. A person is asked before text that they typed is replaced. */
export function abiButtons(node: EditedNode): void {
  const group = partOf(NODE, "standards").css({
    display: "inline-block",
    width: "70%",
    "vertical-align": "middle",
  });
  const line = () => $("<div>").css({ display: "flex", "flex-wrap": "wrap", gap: "4px" }).appendTo(group);
  const standards = line();
  for (const [name, abi] of Object.entries(STANDARD_ABIS)) standards.append(button(node, name, abi));
  const named = (label: string): JQuery =>
    line()
      .css({ "margin-top": "4px", "align-items": "center" })
      .append($("<span>").text(node._(`contract.known.${label}`)));
  const extensions = named("extensions");
  for (const [name, abi] of Object.entries(EXTENSION_ABIS)) extensions.append(button(node, name, abi));
  const demos = named("local");
  for (const [name, abi] of Object.entries(DEMO_ABIS)) {
    demos.append(button(node, node._(`contract.known.${name}`), abi));
  }
}

function button(node: EditedNode, name: string, abi: string): JQuery {
  return $('<button type="button" class="red-ui-button red-ui-button-small">')
    .text(name)
    .on("click", () => {
      const field = inputOf("abi");
      const fill = (): void => void field.val(abi).trigger("change");
      if (isReplaceable(String(field.val() ?? ""))) return fill();
      askInDialog(node, {
        title: node._("contract.replace.title"),
        content: $("<p>").text(node._("contract.replace.text", { name })),
        action: node._("contract.replace.action"),
        act: () => {
          fill();
          return true;
        },
      });
    });
}

/** Nothing, or what one of these buttons has filled in. */
function isReplaceable(text: string): boolean {
  const known: readonly string[] = [STANDARD_ABIS, EXTENSION_ABIS, DEMO_ABIS].flatMap((abis) =>
    Object.values(abis),
  );
  return text.trim() === "" || known.includes(text.trim());
}
