import type { EditedNode } from "../../common/editor/api.ts";
import { itemButtons } from "../../common/editor/buttons.ts";
import { contractCallForm } from "../../common/editor/calls/contract-call.ts";
import { contractSelect } from "../../common/editor/calls/contract-select.ts";
import { labelled } from "../../common/editor/form-rows.ts";
import { isNew, onlyConfig } from "../../common/editor/lookups/only-choice.ts";
import { valueField } from "../../common/editor/values/value-field.ts";
import { TYPED } from "../../common/editor/while-open.ts";
import type { CallDef } from "../../common/shared/stored-values.ts";
import { amountForm } from "./amount.ts";
import { titleOf } from "./title.ts";

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

/** The fields of one call. */
type CallForm = { read(): CallDef };

type Kind = CallDef["kind"];
type ContractDef = Extract<CallDef, { kind: "contract" }>;
type RawDef = Extract<CallDef, { kind: "raw" }>;

/** A function of a contract, or raw bytes. `changed` is called when the call may have changed. */
function callForm(node: EditedNode, container: JQuery, stored: CallDef, changed: () => void): CallForm {
  const id = RED.nodes.id();
  const kind = labelled(node, container, `${id}-kind`, "submit-operation.label.kind", $("<select>"));
  for (const value of ["contract", "raw"]) {
    kind.append(
      $("<option>")
        .val(value)
        .text(node._(`submit-operation.kind.${value}`)),
    );
  }
  kind.val(stored.kind);
  const fields = $("<div>").appendTo(container);
  /** Of both kinds, so that nothing is lost when a person switches between them. */
  const kept = new Map<Kind, CallDef>([[stored.kind, stored]]);
  let form: CallForm;

  const show = (chosen: Kind): void => {
    const call: CallDef = kept.get(chosen) ?? (chosen === "raw" ? { kind: "raw" } : { kind: "contract" });
    // Fields report changes while they are built, when they cannot be read yet.
    form = { read: () => call };
    fields.empty();
    form =
      call.kind === "raw"
        ? rawForm(node, fields, id, call, changed)
        : contractForm(node, fields, id, call, changed);
  };
  kind.on("change", () => {
    const before = form.read();
    kept.set(before.kind, before);
    show(kind.val() === "raw" ? "raw" : "contract");
    changed();
  });
  container.on(TYPED, changed);
  show(stored.kind);
  return { read: () => form.read() };
}

function contractForm(
  node: EditedNode,
  fields: JQuery,
  id: string,
  stored: ContractDef,
  changed: () => void,
): CallForm {
  const contract = contractSelect(node, fields, stored.contract ?? "");
  const form = contractCallForm(node, $("<div>").appendTo(fields), stored, "send", contract);
  const amount = amountForm(node, fields, `${id}-amount`, stored.amount);
  const update = (): void => {
    // Only for functions that are payable, or may be; but a stored value is shown until a person removes it.
    const { value } = amount.read();
    amount.row.toggle((form.payable() ?? form.read().function !== "") || (value !== "" && value !== "0"));
    changed();
  };
  form.onChange(update);
  update();
  return { read: () => ({ kind: "contract", ...form.read(), amount: amount.read() }) };
}

function rawForm(
  node: EditedNode,
  fields: JQuery,
  id: string,
  stored: RawDef,
  changed: () => void,
): CallForm {
  const to = valueField(node, fields, {
    id: `${id}-to`,
    label: node._("common.label.address"),
    parameter: { name: "", type: "address" },
    stored: stored.to,
    network: () => String(RED.nodes.node(String($("#node-input-wallet").val() ?? ""))?.chainSelector ?? ""),
    changed,
  });
  const data = valueField(node, fields, {
    id: `${id}-data`,
    label: node._("submit-operation.label.data"),
    parameter: { name: "", type: "bytes" },
    stored: stored.data,
    optional: true,
    hexOnly: true,
    changed,
  });
  const amount = amountForm(node, fields, `${id}-amount`, stored.amount);
  return { read: () => ({ kind: "raw", to: to.read(), data: data.read(), amount: amount.read() }) };
}
