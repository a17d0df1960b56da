import type { Field, NodeDescription } from "../../shared/fields.ts";
import type { EditedNode } from "../api.ts";

/** Nodes that were dropped in this editor and whose form was not closed with Done yet. */
const fresh = new Set<string>();

/** The id of the config node of a type, if there is exactly one to choose from; empty otherwise. */
export function onlyConfig(type: string): string {
  const workspace = RED.workspaces.active();
  const found: string[] = [];
  RED.nodes.eachConfig(({ id, type: other, z, d }) => {
    // As Node-RED lists them: those of all flows, and those of this flow.
    if (other === type && (!z || z === workspace) && d !== true) found.push(id);
  });
  const [only = "", ...more] = found;
  return more.length === 0 ? only : "";
}

/** Fills in the choices of a node that is dropped now. A copy or an import, which is in the flow already, stays. */
export function chooseForDropped(node: NodeDescription, dropped: EditedNode): void {
  if (RED.nodes.node(dropped.id)) return;
  fresh.add(dropped.id);
  for (const [name, type] of chosen(node)) dropped[name] ||= onlyConfig(type);
}

/**
 * The same in the form of a new node: its config node may have been added since it was dropped. A config node is new
 * until its form is closed with Done.
 */
export function chooseInForm(
  node: NodeDescription,
  edited: EditedNode,
  inputOf: (name: string) => JQuery,
): void {
  if (!isNew(edited)) return;
  for (const [name, type] of chosen(node)) {
    const only = edited[name] ? "" : onlyConfig(type);
    if (only) inputOf(name).val(only).trigger("change");
  }
}

/** Whether the form of a node is open that was never closed with Done. */
export function isNew({ id }: EditedNode): boolean {
  return fresh.has(id) || !RED.nodes.node(id);
}

/** From now on an empty choice is what a person wants. */
export function keepChoices({ id }: EditedNode): void {
  fresh.delete(id);
}

function chosen({ fields }: NodeDescription): Array<[name: string, type: string]> {
  return Object.entries(fields).flatMap(([name, field]) =>
    isChosen(field) ? [[name, field.type] as [string, string]] : [],
  );
}

function isChosen(field: Field): field is Extract<Field, { kind: "config" }> {
  return field.kind === "config" && field.type.startsWith("crec-") && (field.required || !!field.preselect);
}
