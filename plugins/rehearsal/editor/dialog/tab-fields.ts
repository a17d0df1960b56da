import type { FlowNode } from "../../../../rehearsal/shared/flow-node.ts";
import { linkedTabs, tabsOf } from "../flows.ts";
import { make } from "../make.ts";
import { word } from "../words.ts";
import { check, group } from "./fields.ts";

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
