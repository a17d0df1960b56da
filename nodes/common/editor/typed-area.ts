import { TEXT_TYPES } from "../shared/common-fields.ts";
import type { TypedField } from "../shared/fields.ts";
import type { EditedNode } from "./api.ts";
import { nameAfter } from "./form-rows.ts";

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
