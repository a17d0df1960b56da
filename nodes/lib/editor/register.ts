import type { EditedNode, NodeTypeDef, PropertyDef, Validator } from "./api.ts";
import { nameFields } from "./form-rows.ts";
import { atPresent, onlyVariables } from "./validate.ts";

/**
 * Registers a node type with the editor, with what all our forms do alike.
 *
 * The flow library reads a form without running it: it looks for a member call `.registerType("type", { … })`, and there
 * for literals and for `defaults` without a spread. So this is a method, and each form writes out what it registers.
 */
export const forms = {
  registerType(type: string, def: NodeTypeDef): void {
    const properties = Object.entries(def.defaults).map(([name, property]) => [
      name,
      { ...property, ...checkOf(name, property, `${name}Type` in def.defaults) },
    ]);
    RED.nodes.registerType(type, {
      ...def,
      defaults: Object.fromEntries(properties),
      ...(def.credentials ? { credentials: checked(def.credentials) } : {}),
      oneditprepare() {
        def.oneditprepare?.call(this);
        nameFields();
      },
    });
  },
};

function checked(credentials: NonNullable<NodeTypeDef["credentials"]>): typeof credentials {
  const validate: Validator = function (value, _options) {
    return onlyVariables(this, value);
  };
  return Object.fromEntries(
    Object.entries(credentials).map(([name, credential]) => [name, { ...credential, validate }]),
  );
}

/** Whatever is typed in can be a variable, or can look like one. */
function checkOf(name: string, { value, type, validate }: PropertyDef, isTyped: boolean) {
  if (name === "name" || type !== undefined || !["string", "object"].includes(typeof value)) return {};
  const kind = (node: EditedNode) => (isTyped ? String(atPresent(node, `${name}Type`) || "str") : "str");
  return { validate: validate ? withOwn(validate, kind) : withoutOwn(name, kind) };
}

type KindOf = (node: EditedNode) => string;

function withOwn(validate: Validator, kind: KindOf): Validator {
  return function (value, options) {
    const judged = onlyVariables(this, value, kind(this));
    return judged === true ? validate.call(this, value, options) : judged;
  };
}

function withoutOwn(name: string, kind: KindOf): Validator {
  return function variableCheck(value, _options) {
    const judged = onlyVariables(this, value, kind(this));
    // Where there is a check, Node-RED leaves out what it knows itself: whether this is JSON, say.
    return judged === true ? byTypedInput(this, name) : judged;
  };
}

function byTypedInput({ id }: EditedNode, name: string): boolean | string {
  const field = RED.editor.getEditStack().at(-1)?.id === id ? $(`#node-input-${name}`) : $();
  if (field.next(".red-ui-typedInput-container").length === 0) return true;
  return field.typedInput("validate", { returnErrorMessage: true });
}
