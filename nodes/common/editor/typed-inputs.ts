import type { Tooltip, TypedInputType } from "./api.ts";
import { nameVisibleBox } from "./form-rows.ts";

/** Where a person may take a value from: typed in, or from the usual places of Node-RED. */
export const TEXT_TYPES: readonly string[] = ["str", "msg", "flow", "global", "env", "jsonata"];
export const JSON_TYPES: readonly string[] = ["json", "msg", "flow", "global", "env", "jsonata"];

/** Makes a text box a typed input; its type is stored in the hidden field `<name>Type`. */
export function typedField(name: string, types: ReadonlyArray<string | TypedInputType> = TEXT_TYPES): JQuery {
  const first = types[0];
  const fallback = typeof first === "string" ? first : (first?.value ?? "str");
  const field = $(`#node-input-${name}`);
  // Without a width of its own it would keep the pixels it had before the form got its size.
  if (!field.attr("style")?.includes("width")) field.css("width", "70%");
  field.typedInput({
    default: fallback,
    types: [...types],
    typeField: `#node-input-${name}Type`,
  });
  nameVisibleBox(field);
  showRefusals(field);
  return field;
}

/** Why a value is refused is said where the pointer is. Node-RED says it on the field that is hidden. */
function showRefusals(field: JQuery): void {
  const box = field.next(".red-ui-typedInput-container");
  let shown: Tooltip | undefined;
  const place: Tooltip = {
    setContent(sentence) {
      if (shown) shown.setContent(sentence);
      else shown = RED.popover.tooltip(box, sentence);
    },
    delete() {
      shown?.delete();
      shown = undefined;
      // Node-RED forgets it at the same time, and would make its own for the next refusal.
      field.data("tooltip", place);
    },
  };
  field.data("tooltip", place);
}
