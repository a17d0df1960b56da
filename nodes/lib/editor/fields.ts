import type { TypedInputType } from "./api.ts";

/** Where a person may take a value from: typed in, or from the usual places of Node-RED. */
export const TEXT_TYPES: readonly string[] = ["str", "msg", "flow", "global", "env", "jsonata"];
export const JSON_TYPES: readonly string[] = ["json", "msg", "flow", "global", "env", "jsonata"];

/** Makes a text box a typed input; its type is stored in the hidden field `<name>Type`. */
export function typedField(name: string, types: ReadonlyArray<string | TypedInputType> = TEXT_TYPES): JQuery {
  const first = types[0];
  const fallback = typeof first === "string" ? first : (first?.value ?? "str");
  return $(`#node-input-${name}`).typedInput({
    default: fallback,
    types: [...types],
    typeField: `#node-input-${name}Type`,
  });
}

/** Shows a part of the form only while `shown` says so. */
export function toggle(selector: string, shown: boolean): void {
  $(selector).toggle(shown);
}

/** What Node-RED puts into the box while a key is stored. */
export const STORED_PASSWORD = "__PWRD__";
