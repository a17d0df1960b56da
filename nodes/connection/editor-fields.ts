/** The fields of this form, by the names of their properties. */

export function field(name: string): string {
  return String($(`#node-config-input-${name}`).val() ?? "").trim();
}

export function fillIn(values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) {
    $(`#node-config-input-${name}`).val(value).trigger("change");
  }
}

/** Each hint stands under its field, is quieter than it, and is read out with it. */
export function layOutHints(): void {
  $(".crec-hint").each((_index, element) => {
    const hint = $(element);
    const name = hint.attr("data-field");
    hint.attr("id", `crec-hint-${name}`).css({
      margin: "3px 0 0 105px",
      "max-width": "400px",
      "font-size": "0.9em",
      color: "var(--red-ui-secondary-text-color)",
    });
    $(`#node-config-input-${name}`).attr("aria-describedby", `crec-hint-${name}`);
  });
}
