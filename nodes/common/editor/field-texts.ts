import { inputOf } from "./form-fields.ts";

/**
 * Reads what fields of the form that is open now show, trimmed. Also while another form lies on top of it, in which
 * there is no field of that name, or another one.
 */
export function fieldTexts<Name extends string>(names: readonly Name[]): (name: Name) => string {
  const inputs = new Map(names.map((name) => [name, inputOf(name)]));
  return (name) => String(inputs.get(name)?.val() ?? "").trim();
}

/** Values by the names of the fields. */
export function fillIn(values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) inputOf(name).val(value).trigger("change");
}
