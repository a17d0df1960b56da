import { inputOf, visibleBox } from "./form-rows.ts";

/** Each hint of a form is read out with its field. */
export function tieHints(): void {
  $(".crec-hint[data-field]").each((_index, element) => {
    const hint = $(element);
    const name = hint.attr("data-field") ?? "";
    hint.attr("id", `crec-hint-${name}`);
    const box = visibleBox(inputOf(name));
    box.attr("aria-describedby", `${box.attr("aria-describedby") ?? ""} crec-hint-${name}`.trim());
  });
}
