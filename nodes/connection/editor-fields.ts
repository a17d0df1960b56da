import { inputOf } from "../lib/editor/form-fields.ts";

/** What a field of the form shows, trimmed. */
export function fieldText(name: string): string {
  return String(inputOf(name).val() ?? "").trim();
}

/** Values by the names of the fields. */
export function fillIn(values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) inputOf(name).val(value).trigger("change");
}
