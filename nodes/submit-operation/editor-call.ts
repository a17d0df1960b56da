import type { EditedNode } from "../lib/editor/api.ts";
import { contractCallForm, contractSelect, labelled, nameVisibleBox } from "../lib/editor/contract-call.ts";
import { TEXT_TYPES } from "../lib/editor/fields.ts";
import type { CallDef, Value } from "../lib/form-types.ts";
import { amountForm } from "./editor-amount.ts";

/** The fields of one call. */
export type CallForm = { read(): CallDef };

type Kind = CallDef["kind"];
type ContractDef = Extract<CallDef, { kind: "contract" }>;
type RawDef = Extract<CallDef, { kind: "raw" }>;

/** A function of a contract, or raw bytes. `changed` is called whenever it may read otherwise. */
export function callForm(
  node: EditedNode,
  container: JQuery,
  stored: CallDef,
  changed: () => void,
): CallForm {
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
  /** Of both kinds, so that looking at the other one loses nothing. */
  const kept = new Map<Kind, CallDef>([[stored.kind, stored]]);
  let form: CallForm;

  const show = (chosen: Kind): void => {
    fields.empty();
    const call: CallDef = kept.get(chosen) ?? (chosen === "raw" ? { kind: "raw" } : { kind: "contract" });
    form =
      call.kind === "raw" ? rawForm(node, fields, id, call) : contractForm(node, fields, id, call, changed);
  };
  kind.on("change", () => {
    const before = form.read();
    kept.set(before.kind, before);
    show(kind.val() === "raw" ? "raw" : "contract");
    changed();
  });
  container.on("change input", changed);
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
    // A function that takes no coins would refuse them: but what is stored is shown until a person removes it.
    const { value } = amount.read();
    amount.row.toggle(form.payable() !== false || (value !== "" && value !== "0"));
    changed();
  };
  form.onChange(update);
  update();
  return {
    read: () => {
      const paid = amount.read();
      const named = stored.amount !== undefined || paid.value !== "";
      return { kind: "contract", ...form.read(), ...(named ? { amount: paid } : {}) };
    },
  };
}

function rawForm(node: EditedNode, fields: JQuery, id: string, stored: RawDef): CallForm {
  const to = valueField(node, fields, `${id}-to`, "common.label.address", "0x…", stored.to);
  const data = valueField(node, fields, `${id}-data`, "submit-operation.label.data", "0x", stored.data);
  const amount = amountForm(node, fields, `${id}-amount`, stored.amount);
  return { read: () => ({ kind: "raw", to: to(), data: data(), amount: amount.read() }) };
}

function valueField(
  node: EditedNode,
  fields: JQuery,
  id: string,
  label: string,
  hint: string,
  stored: Value = {},
): () => Value {
  const input = labelled(node, fields, id, label, $('<input type="text">')).attr("placeholder", hint);
  input.typedInput({ default: "str", types: [...TEXT_TYPES] });
  if (stored.type) input.typedInput("type", stored.type);
  input.typedInput("value", stored.value ?? "");
  nameVisibleBox(input);
  return () => ({ value: input.typedInput("value"), type: input.typedInput("type") });
}
