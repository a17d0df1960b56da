import type { EditedNode } from "../common/editor/api.ts";
import { itemButtons } from "../common/editor/item-buttons.ts";
import { isNew, onlyConfig } from "../common/editor/only-choice.ts";
import type { CallDef } from "../common/shared/form-types.ts";
import { type CallForm, callForm } from "./editor-call.ts";
import { titleOf } from "./editor-title.ts";

/** The calls of an operation: a list whose items can be added, folded and reordered. */
export type CallsForm = { read(): CallDef[] };

/** The data of one item of the list. */
type Listed = {
  stored?: CallDef;
  unfolded?: boolean;
  form?: CallForm;
  number?: (index: number, count: number) => void;
};

/** The class of the handle by which items are dragged. */
const HANDLE = "crec-submit-operation-handle";

export function callsForm(node: EditedNode, list: JQuery, stored: readonly CallDef[]): CallsForm {
  const items = (): JQuery[] =>
    list
      .editableList("items")
      .toArray()
      .map((element) => $(element));
  const number = (): void => {
    const all = items();
    for (const [index, item] of all.entries()) (item.data("data") as Listed).number?.(index, all.length);
    // A new order changes the form's values.
    list.trigger("change");
  };
  list.editableList({
    addItem: (container, _index, item) => {
      showItem(node, list, container, item as Listed, number);
      number();
    },
    addButton: node._("submit-operation.label.add"),
    ariaLabel: node._("submit-operation.label.source"),
    sortable: `.${HANDLE}`,
    sortItems: number,
    removeItem: number,
    scrollOnAdd: false,
    height: "auto",
  });
  // Several calls are folded for an overview; a single or a new call is open.
  for (const call of stored) list.editableList("addItem", { stored: call, unfolded: stored.length === 1 });
  // What a new node needs is in view, and not behind a button.
  if (stored.length === 0 && isNew(node)) list.editableList("addItem", {});
  return {
    read: () =>
      items().flatMap((item) => {
        const { form } = item.data("data") as Listed;
        return form ? [form.read()] : [];
      }),
  };
}

/** A line that says what the call does, and below it the call's fields. */
function showItem(
  node: EditedNode,
  list: JQuery,
  container: JQuery,
  item: Listed,
  renumber: () => void,
): void {
  const text = (key: string, values?: Record<string, unknown>) => node._(`submit-operation.${key}`, values);
  const id = RED.nodes.id();
  const head = $("<div>").css({ display: "flex", "align-items": "center", gap: "4px" }).appendTo(container);
  $('<i class="fa fa-bars" aria-hidden="true">')
    .addClass(HANDLE)
    .attr("title", text("label.drag"))
    .css({ cursor: "move", padding: "6px", color: "var(--red-ui-secondary-text-color)" })
    .appendTo(head);
  const fold = $('<button type="button" class="red-ui-button">')
    .attr("aria-controls", id)
    .css({
      flex: "1",
      "min-width": "0",
      height: "auto",
      "line-height": "20px",
      padding: "6px 10px",
      "text-align": "left",
      "white-space": "normal",
    })
    .appendTo(head);
  const arrow = $('<i class="fa fa-fw" aria-hidden="true">').appendTo(fold);
  const title = $("<span>").appendTo(fold);
  const buttons = itemButtons({ list, head, item, renumber, focused: "button" });

  const body = $("<div>").attr("id", id).css("padding", "8px 0 0 4px").appendTo(container);
  const unfold = (open: boolean): void => {
    body.toggle(open);
    fold.attr("aria-expanded", String(open));
    arrow.toggleClass("fa-caret-down", open).toggleClass("fa-caret-right", !open);
  };
  fold.on("click", () => unfold(fold.attr("aria-expanded") !== "true"));

  let position = 0;
  const retitle = (): void => {
    // Missing while the fields are being built.
    if (item.form) title.text(`${position + 1}. ${titleOf(node, item.form.read())}`);
  };
  const newCall: CallDef = { kind: "contract", contract: onlyConfig("crec-contract") };
  item.form = callForm(node, body, item.stored ?? newCall, retitle);
  item.number = (index, count) => {
    position = index;
    buttons.place(index, count, (button) => text(`label.${button}`, { number: index + 1 }));
    retitle();
  };
  unfold(item.unfolded !== false);
}
