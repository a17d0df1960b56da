import { make } from "../../../../nodes/common/editor/elements.ts";
import type { FlowNode, TestReplies, TestReply } from "../../../../rehearsal/shared/job.ts";
import { linkedTabs, nodeName, tabsOf } from "../flows.ts";
import { word } from "../words.ts";

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

/** Which tabs. `read` returns a sentence where none is chosen. */
type TabFields = { element: HTMLElement; read(): string[] | string };

/** @param chosenBefore ids; those of tabs that are gone are left out */
export function tabFields(flows: readonly FlowNode[], chosenBefore: readonly string[]): TabFields {
  const boxes = tabsOf(flows).map(({ id, label, isDisabled }) => {
    const text = isDisabled ? word("value.disabled-tab", { label }) : label;
    return { id, label, ...check(text, chosenBefore.includes(id)) };
  });
  const linked = make("p", "crec-hint");
  linked.setAttribute("role", "status");
  const chosen = (): string[] => boxes.filter(({ box }) => box.checked).map(({ id }) => id);
  const show = (): void => {
    const more = linkedTabs(flows, new Set(chosen()));
    const labels = boxes.filter(({ id }) => more.has(id)).map(({ label }) => label);
    linked.textContent = labels.length === 0 ? "" : word("hint.linked", { tabs: labels.join(", ") });
  };
  for (const { box } of boxes) box.addEventListener("change", show);
  show();
  const list = make("div", "crec-tabs", ...boxes.map(({ element }) => element));
  return {
    element: group(word("label.tabs"), list, linked),
    read: () => (chosen().length === 0 ? word("error.no-tab") : chosen()),
  };
}

/** What nodes that are not run answer. `read` returns a sentence where a text is no message. */
type ReplyFields = { element: HTMLElement; read(): TestReplies | string };

/** Nodes that ask somebody else and send on the answer. */
const ASKING =
  /^(?:http request|tcp request|exec|file in|crec-(?:run-query|submit-operation|operation|create-watcher|manage|account|api))$/;

/** A field for each such node: the message that it answers with, as JSON, or a list with one for each output. */
export function replyFields(flows: readonly FlowNode[], before: TestReplies): ReplyFields {
  const nodes = flows.filter(
    ({ id, type, wires = [] }) => (ASKING.test(type) && wires.length > 0) || id in before,
  );
  const fields = nodes.map(({ id, type, name = "" }) => {
    const field = make("textarea");
    field.rows = 2;
    field.placeholder = '{"payload": 1}';
    field.value = textOf(before[id]);
    return { id, name: nodeName(id, { type, name }), field };
  });
  const element = make("details", "", make("summary", "", word("label.replies")));
  element.hidden = fields.length === 0;
  element.open = fields.some(({ field }) => field.value !== "");
  element.append(make("p", "crec-hint", word("hint.replies")));
  element.append(...fields.map(({ name, field }) => row(name, field)));
  const read = (): TestReplies | string => {
    const replies: Record<string, readonly TestReply[]> = {};
    for (const { id, name, field } of fields) {
      if (field.value.trim() === "") continue;
      const reply = replyIn(field.value);
      if (reply === undefined) return word("error.reply", { name });
      replies[id] = [reply];
    }
    return replies;
  };
  return { element, read };
}

function replyIn(text: string): TestReply | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const messages: unknown[] = Array.isArray(value) ? value : [value];
    const isMessage = (one: unknown) => one === null || (typeof one === "object" && !Array.isArray(one));
    return messages.every(isMessage) ? (messages as unknown as TestReply) : undefined;
  } catch {
    return undefined;
  }
}

/** The first one: the form has no others. */
function textOf(replies: readonly TestReply[] | undefined): string {
  const [reply] = replies ?? [];
  if (reply === undefined) return "";
  return JSON.stringify(reply.length === 1 ? reply[0] : reply);
}
