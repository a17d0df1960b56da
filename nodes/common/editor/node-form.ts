import { migrate, shortName } from "../shared/field-rules.ts";
import type { NodeDescription } from "../shared/fields.ts";
import type { ConfigNode, EditedNode, NodeTypeDef } from "./api.ts";
import { countHiddenUsers, mergeImported } from "./config-nodes.ts";
import { prepareFields, saveFields } from "./form-fields.ts";
import { nameFields } from "./form-rows.ts";
import { chooseForDropped, keepChoices } from "./lookups/only-choice.ts";
import { redrawUsers, shortLabel } from "./node-label.ts";
import { addStyle } from "./style.ts";
import { type FormCheck, validatorOf } from "./values/field-validators.ts";

/** The code of a form that its table of fields cannot express. All parts are optional. */
export type NodeForm = {
  /** The label of a node without a name. The default is the palette's text, or the title of a config node. */
  label?: (node: EditedNode) => string;
  /** Checks of custom fields, and of other fields that only the form can check. */
  checks?: Readonly<Record<string, FormCheck>>;
  /** When the node is dropped, or pasted or imported into the flow that is shown. */
  added?: (node: EditedNode) => void;
  /** Each time the node comes into the editor: dropped, pasted or imported into any flow, loaded, or brought back by undo. */
  came?: (node: ConfigNode) => void;
  opened?: (node: EditedNode) => void;
  saved?: (node: EditedNode) => void;
  cancelled?: (node: EditedNode) => void;
  resized?: (node: EditedNode, size: { width: number; height: number }) => void;
};

/** The part that the build writes out for the flow library, and the rest. */
type Registration = Pick<
  NodeTypeDef,
  "category" | "color" | "icon" | "inputs" | "outputs" | "defaults" | "credentials"
> & {
  node: NodeDescription;
  form: NodeForm;
};

/**
 * Registers a node type with the editor. The build makes the call (`nodes/common/build/registration.ts`): a method, since
 * the flow library looks for a member call `.registerType("type", { … })`.
 */
export const forms = {
  registerType(type: string, { node, form, ...written }: Registration): void {
    const own = shortName(type);
    const named = (edited: EditedNode, otherwise: string) =>
      edited.name || form.label?.(edited) || edited._(otherwise);
    // Node-RED calls `onadd` neither for nodes of a flow that is loaded nor for config nodes. A node of a locked flow
    // cannot be written to: so only what must change is.
    RED.events.on("nodes:add", (added) => {
      if (added.type !== type) return;
      const current = migrate(node, added);
      if (current !== added) Object.assign(added, current);
      // What Node-RED hands out refuses to be written to in an imported flow that is locked.
      form.came?.((added.__node__ as ConfigNode | undefined) ?? added);
    });
    // Two connections may differ in their keys, which the editor does not know.
    if (written.category === "config" && !written.credentials) mergeImported(type);
    if (written.category === "config")
      RED.events.on("nodes:change", (changed) => {
        if (changed.type === type) redrawUsers(changed);
      });
    const hidden = Object.entries(node.fields).filter(([, field]) => field.kind === "hidden" && field.type);
    countHiddenUsers(
      type,
      hidden.map(([name]) => name),
    );
    RED.nodes.registerType(type, {
      ...written,
      defaults: withValidators(written.defaults, node, form),
      ...(written.credentials ? { credentials: withValidators(written.credentials, node, form) } : {}),
      ...(written.category === "config"
        ? {
            label: labelled((edited) => named(edited, `${own}.title`)),
            // Node-RED offers to add one by this name.
            paletteLabel: labelled((edited) => edited._(`${own}.title`)),
          }
        : {
            label: labelled((edited) => edited.name || shortLabel(named(edited, `${own}.palette`))),
            paletteLabel: labelled((edited) => edited._(`${own}.palette`)),
            labelStyle: labelled(({ name }) => (name ? "node_label_italic" : "")),
          }),
      ...(node.outputs && node.outputs.length > 1
        ? {
            outputLabels(index) {
              return this._(`${own}.output.${node.outputs?.[index]}`);
            },
          }
        : {}),
      onadd() {
        chooseForDropped(node, this);
        form.added?.(this);
      },
      oneditprepare() {
        addStyle();
        const settled = prepareFields(this, node, form.checks);
        form.opened?.(this);
        settled();
        nameFields();
      },
      oneditsave() {
        keepChoices(this);
        saveFields(this, node);
        form.saved?.(this);
      },
      oneditcancel() {
        form.cancelled?.(this);
      },
      oneditresize(size) {
        form.resized?.(this, size);
      },
    });
  },
};

function labelled(text: (node: EditedNode) => string): (this: EditedNode) => string {
  return function () {
    return text(this);
  };
}

function withValidators<T extends object>(
  properties: Record<string, T>,
  node: NodeDescription,
  { checks = {} }: NodeForm,
): Record<string, T> {
  const checked = Object.entries(properties).map(([name, property]) => {
    const validate = validatorOf(node, name, checks[name]);
    return [name, validate ? { ...property, validate } : property] as const;
  });
  return Object.fromEntries(checked);
}
