import { visibleBox } from "./form-rows.ts";

/** Shows each hint of a form under its field, in a quieter colour, and has it read out with the field. */
export function layOutHints(): void {
  $(".crec-hint").each((_index, element) => {
    const hint = $(element);
    const name = hint.attr("data-field");
    hint.attr("id", `crec-hint-${name}`).css({
      margin: "3px 0 0 105px",
      "max-width": "70%",
      "font-size": "0.9em",
      color: "var(--red-ui-secondary-text-color)",
    });
    const box = visibleBox($(`#node-config-input-${name}, #node-input-${name}`));
    box.attr("aria-describedby", `${box.attr("aria-describedby") ?? ""} crec-hint-${name}`.trim());
  });
}
