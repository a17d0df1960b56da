import type { EditedNode } from "../../common/editor/api.ts";
import { askInDialog } from "../../common/editor/dialog.ts";
import { partOf } from "../../common/editor/form-fields.ts";
import { inputOf } from "../../common/editor/form-rows.ts";
import { NODE } from "../fields.ts";
import { DEMO_ABIS, DEMO_ADDRESSES, EXTENSION_ABIS, STANDARD_ABIS } from "../known-abis.ts";

/**
 * Buttons that fill in the ABI; those of local contracts the name and address, too. A person is asked before an ABI that
 * they typed is replaced; what else they typed stays.
 */
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
  const nameOf = (key: string): string => node._(`contract.known.${key}`);
  const names = Object.keys(DEMO_ABIS).map(nameOf);
  for (const [key, abi] of Object.entries(DEMO_ABIS)) {
    const name = nameOf(key);
    const fillPlace = (): void => {
      fillIn("name", name, names);
      fillIn("address", DEMO_ADDRESSES[key as keyof typeof DEMO_ABIS], Object.values(DEMO_ADDRESSES));
    };
    demos.append(button(node, name, abi, fillPlace));
  }
}

/** Where the field has nothing, or what one of these buttons has filled in. */
function fillIn(field: string, text: string, known: readonly string[]): void {
  const typed = String(inputOf(field).val() ?? "").trim();
  if (typed === "" || known.includes(typed)) inputOf(field).val(text).trigger("change");
}

function button(node: EditedNode, name: string, abi: string, fillPlace = (): void => undefined): JQuery {
  return $('<button type="button" class="red-ui-button red-ui-button-small">')
    .text(name)
    .on("click", () => {
      const field = inputOf("abi");
      const fill = (): void => {
        field.val(abi).trigger("change");
        fillPlace();
      };
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
