import type { EditedNode } from "../common/editor/api.ts";
import { contractCallForm, contractSelect } from "../common/editor/contract-call.ts";
import { labelled } from "../common/editor/form-rows.ts";
import { TYPED } from "../common/editor/live-check.ts";
import { valueField } from "../common/editor/value-field.ts";
import type { CallDef } from "../common/shared/form-types.ts";
import { amountForm } from "./editor-amount.ts";

/** The fields of one call. */
export type CallForm = { read(): CallDef };

type Kind = CallDef["kind"];
type ContractDef = Extract<CallDef, { kind: "contract" }>;
type RawDef = Extract<CallDef, { kind: "raw" }>;

/** A function of a contract, or raw bytes. `changed` is called when the call may have changed. */
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
