import { TEXT_TYPES } from "../../shared/common-fields.ts";
import type { TypedField } from "../../shared/fields.ts";
import type { EditedNode, Tooltip, TypedInputType } from "../api.ts";
import { nameAfter, nameVisibleBox } from "../form-rows.ts";

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

/**
 * A typed input has one line. So text has a text area, which is the field that Node-RED stores, and `source` above it
 * chooses between text and the other types.
 */
export function prepareTypedArea(
  edited: EditedNode,
  name: string,
  source: JQuery,
  { default: text = "", types = TEXT_TYPES }: Pick<TypedField, "default" | "types">,
): void {
  const area = $(`#node-input-${name}`);
  const label = edited._("common.label.typed");
  const icon = "red/images/typedInput/az.svg";
  source.typedInput({
    default: "str",
    types: [{ value: "str", label, icon, hasValue: false }, ...types.filter((type) => type !== "str")],
    typeField: `#node-input-${name}Type`,
  });
  if (!isText(source)) {
    source.typedInput("value", String(area.val() ?? ""));
    area.val(text);
  }
  nameAfter(area, source);
  const show = (): void => void area.toggle(isText(source));
  source.on("change", show);
  show();
}

/** What is not text is stored in the same property. */
export function saveTypedArea(name: string, source: JQuery): void {
  if (!isText(source)) $(`#node-input-${name}`).val(source.typedInput("value"));
}

function isText(source: JQuery): boolean {
  return source.typedInput("type") === "str";
}
