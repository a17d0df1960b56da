import { make } from "../make.ts";

let made = 0;

/** A row with a label and a field. */
export function row(label: string, field: HTMLElement): HTMLElement {
  made += 1;
  field.id = `crec-rehearse-${made}`;
  const text = make("label", "", label);
  text.htmlFor = field.id;
  // The space between label and field, as in Node-RED's forms.
  return make("div", "form-row", text, " ", field);
}

export function input(type: string, value: string): HTMLInputElement {
  const field = make("input");
  field.type = type;
  field.value = value;
  return field;
}

export function check(label: string, isChecked = false): { element: HTMLElement; box: HTMLInputElement } {
  const box = input("checkbox", "");
  box.checked = isChecked;
  return { element: make("label", "crec-check", box, label), box };
}

export function select(options: ReadonlyArray<{ value: string; label: string }>): HTMLSelectElement {
  const field = make("select");
  for (const { value, label } of options) {
    const option = make("option", "", label);
    option.value = value;
    field.append(option);
  }
  return field;
}

export function group(title: string, ...content: HTMLElement[]): HTMLFieldSetElement {
  return make("fieldset", "", make("legend", "", title), ...content);
}
