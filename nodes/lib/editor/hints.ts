/** The hints of a config form: each stands under its field, is quieter than it, and is read out with it. */
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
