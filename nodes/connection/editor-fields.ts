/** The fields of this form, by the names of their properties. */

export function field(name: string): string {
  return String($(`#node-config-input-${name}`).val() ?? "").trim();
}

export function fillIn(values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) {
    $(`#node-config-input-${name}`).val(value).trigger("change");
  }
}
