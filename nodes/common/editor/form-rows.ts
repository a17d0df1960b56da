import type { EditedNode } from "./api.ts";

/** The input that Node-RED fills and reads, of a node or of a config node. */
export function inputOf(name: string): JQuery {
  const config = $(`#node-config-input-${name}`);
  return config.length > 0 ? config : $(`#node-input-${name}`);
}

/** A row of a form with its label tied to its field. */
export function labelled(
  node: EditedNode,
  container: JQuery,
  id: string,
  text: string,
  field: JQuery,
  translated = true,
): JQuery {
  const row = $('<div class="form-row">').appendTo(container);
  $("<label>")
    .attr("for", id)
    .text(translated ? node._(text) : text)
    .appendTo(row);
  // The space between label and field, as in a template.
  row.append(" ");
  nameField(field.attr("id", id).css("width", "70%").appendTo(row));
  return field;
}

/** Names every field of the open forms after its label. */
export function nameFields(): void {
  $(".form-row label[for]").each((_index, element) => {
    const label = $(element);
    nameField(label.closest(".form-row").find(`[id="${label.attr("for")}"]`));
  });
  $(".form-row label > i.fa").attr("aria-hidden", "true");
}

/**
 * Names a field after the label in its row, also where Node-RED would name it after what it says of a wrong value, and
 * go on when the value is right. By the label's id, since the words of a template are put in later than a form is
 * prepared. What a typed input shows is not the field that the label belongs to: so its parts are named, too.
 */
function nameField(field: JQuery): void {
  const label = field.closest(".form-row").find(`label[for="${field.attr("id")}"]`);
  if (label.length === 0) return;
  if (!label.attr("id")) label.attr("id", RED.nodes.id());
  nameOptions(field, label.attr("id") ?? "");
  const parts = field.next(".red-ui-typedInput-container").find("input, .red-ui-typedInput-option-expand");
  field.add(parts).attr("aria-labelledby", label.attr("id") ?? "");
}

/** Names the button that opens the options of a typed input: by the label, and by what is chosen. */
function nameOptions(field: JQuery, labelId: string): void {
  const button = field
    .next(".red-ui-typedInput-container")
    .find(".red-ui-typedInput-option-trigger")
    .attr("id", `${field.attr("id")}-options`);
  button.attr("aria-labelledby", `${labelId} ${button.attr("id")}`);
}

/** Names a second typed input of a field's row after the field. Its box and its types are named, too. */
export function nameAfter(field: JQuery, second: JQuery): void {
  nameField(field);
  const parts = second.next(".red-ui-typedInput-container").find("input, .red-ui-typedInput-option-expand");
  second.add(parts).attr("aria-labelledby", field.attr("aria-labelledby") ?? "");
  nameTypes(second);
}

/** Names what a typed input shows, as soon as there is one. */
export function nameVisibleBox(input: JQuery): void {
  nameField(input);
  nameTypes(input);
}

function nameTypes(input: JQuery): void {
  const choice = input.next(".red-ui-typedInput-container").find(".red-ui-typedInput-type-select");
  // Its title is the type that is chosen.
  const name = (): void => void choice.attr("aria-label", choice.attr("title") ?? "");
  input.on("change", name);
  name();
}

/** What a person types into: of a typed input the box it shows. */
export function visibleBox(field: JQuery): JQuery {
  const shown = field.closest(".form-row").find(".red-ui-typedInput-input-wrap input");
  return shown.length > 0 ? shown : field;
}

/** A line under a field, read out with it; `after` is shown behind its text. */
export type Line = { say(text: string, after?: JQuery): void };

/** Explains the field. */
export function hintUnder(field: JQuery): Line {
  return lineUnder(field, "hint").line;
}

/** Says what is wrong with the field, and marks it. */
export function problemUnder(field: JQuery): Line {
  const { element, line } = lineUnder(field, "problem");
  element.attr("role", "alert").addClass("crec-problem");
  return {
    say: (text) => {
      line.say(text);
      // Not by Node-RED's class for it: that says what its own check of the field found.
      const mark = text === "" ? "" : "var(--red-ui-form-input-border-error-color)";
      field.add(field.next(".red-ui-typedInput-container")).css("border-color", mark);
      visibleBox(field).attr("aria-invalid", String(text !== ""));
    },
  };
}

function lineUnder(field: JQuery, part: string): { element: JQuery; line: Line } {
  const said = field.closest(".form-row").find(`[id^="${field.attr("id")}-${part}"]`);
  const id = `${field.attr("id")}-${part}${said.length || ""}`;
  const element = $('<div class="crec-hint">').attr("id", id).hide().appendTo(field.closest(".form-row"));
  const box = visibleBox(field);
  box.attr("aria-describedby", `${box.attr("aria-describedby") ?? ""} ${id}`.trim());
  return {
    element,
    line: {
      say: (text, after = $()) =>
        void element
          .text(text)
          .append(after)
          .toggle(text !== "" || after.length > 0),
    },
  };
}
