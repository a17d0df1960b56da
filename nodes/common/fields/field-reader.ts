import type { Node, NodeAPI, NodeDef } from "node-red";
import { type NodeContext, nodeContext } from "../context.ts";
import type { CrecMessage } from "../messages/message.ts";
import { channelOverride } from "../messages/message.ts";
import { type CodedError, translatedError } from "../shared/errors.ts";
import { errorKey, fitsNumber, isNewer, isOn, isShown, labelKey, migrate } from "../shared/field-rules.ts";
import type { NamesOf, NodeDescription, SettingsOf } from "../shared/fields.ts";
import { splitNames } from "../shared/text.ts";
import { isReference, requireSet } from "../shared/variables.ts";
import {
  type Evaluating,
  evaluate,
  evaluateOptional,
  evaluatePresent,
  evaluateRequired,
  evaluateText,
  evaluateWhole,
  exactText,
  missingValue,
  optionOf,
  shownValue,
  type TypedValue,
} from "./evaluate.ts";

/** Reads a node's settings by its table of fields. Errors name a field by its label in the form. */
export type FieldReader<N extends NodeDescription> = {
  /** As stored, brought up to the current version. */
  readonly settings: SettingsOf<N>;
  /** Trimmed. Empty for an empty field. @throws VARIABLE_MISSING */
  text(name: NamesOf<N, "text">): string;
  /** The default for an empty field; `undefined` for an optional field, or an empty default. @throws INVALID_FIELD, VARIABLE_MISSING */
  number<K extends NamesOf<N, "number">>(name: K): NumberOf<N["fields"][K]>;
  /** A field in seconds, in milliseconds. @throws INVALID_FIELD, VARIABLE_MISSING */
  milliseconds(name: NamesOf<N, "number">): number;
  /** The default where the value is neither true nor false. */
  flag(name: NamesOf<N, "boolean">): boolean;
  /**
   * The chosen option, or the default. A flow that was edited by hand can have any value: an unknown option is an error.
   * @throws INVALID_FIELD naming the options
   */
  choice<K extends NamesOf<N, "select">>(name: K): OptionOf<N["fields"][K]>;
  /** The ticked options. @throws INVALID_FIELD */
  list<K extends NamesOf<N, "list">>(name: K): Array<OptionOf<N["fields"][K]>>;
  /** The label of a field in the reader's language, for an error of the node's own. */
  label(name: keyof N["fields"] & string): string;
  /** An error about a field's value: its sentence in the catalog, or that of another key with its values. */
  wrong(
    name: keyof N["fields"] & string,
    value: unknown,
    key?: string,
    words?: Readonly<Record<string, string>>,
  ): CodedError;
  /** An error about a field that is empty. */
  missing(name: keyof N["fields"] & string): CodedError;
  /** The fields that can come from a message. */
  of(msg: CrecMessage): MessageFields<N>;
};

export type MessageFields<N extends NodeDescription> = {
  /** The id in `msg.crec` that overrides a config node, where the table allows it. */
  override(name: NamesOf<N, "config">): string | undefined;
  /** @throws INVALID_FIELD when an expression fails, VARIABLE_MISSING */
  value(name: NamesOf<N, "typed">): Promise<unknown>;
  /** As `value`; `undefined` only where the form leaves it empty. @throws MISSING_VALUE, INVALID_FIELD, VARIABLE_MISSING */
  present(name: NamesOf<N, "typed">): Promise<unknown>;
  /** As `present`, where blank text is missing, too. @throws MISSING_VALUE, INVALID_FIELD, VARIABLE_MISSING */
  whole(name: NamesOf<N, "typed">): Promise<unknown>;
  /** As text; `undefined` only where the form leaves it empty. @throws MISSING_VALUE, INVALID_FIELD, VARIABLE_MISSING */
  optional(name: NamesOf<N, "typed">): Promise<string | undefined>;
  /** `undefined` where it is empty; numbers become text. @throws INVALID_FIELD, VARIABLE_MISSING */
  text(name: NamesOf<N, "typed">): Promise<string | undefined>;
  /** @throws MISSING_VALUE, INVALID_FIELD, VARIABLE_MISSING */
  required(name: NamesOf<N, "typed">): Promise<string>;
  /**
   * Several values, each of them checked: a list, or text with commas between.
   * @throws MISSING_VALUE where a message or variable has nothing, INVALID_FIELD, VARIABLE_MISSING
   */
  names(name: NamesOf<N, "typed">): Promise<string[]>;
};

type NumberOf<F> = F extends { default: "" } | { optional: true } ? number | undefined : number;
type OptionOf<F> = F extends { options: readonly (infer O)[] } ? O : string;

/** The same for a node with a form: `fields` reads its settings. */
export type FormContext<N extends NodeDescription, T extends Node = Node> = NodeContext<T> & {
  readonly fields: FieldReader<N>;
};

/** The context of a node that has just been created, and reads its settings by a table of fields. */
export function formContext<const N extends NodeDescription, T extends Node>(
  RED: NodeAPI,
  node: T,
  description: N,
  stored: NodeDef,
): FormContext<N, T> {
  const context = nodeContext(RED, node);
  return { ...context, fields: fieldReader(context, description, stored) };
}

/** The reader of one node. Of settings that a newer version stored, the node's log warns. */
export function fieldReader<const N extends NodeDescription>(
  context: Evaluating,
  description: N,
  stored: NodeDef,
): FieldReader<N> {
  const { node, t } = context;
  const settings = migrate(description, stored) as unknown as Record<string, unknown>;
  if (isNewer(description, stored)) node.warn(t("common.warning.newer"));
  const fieldOf = (name: string) => description.fields[name];
  /** Each message reads them, and a translation takes long. */
  const labels = new Map<string, string>();
  const label = (name: string) => {
    const known = labels.get(name) ?? t(labelKey(description, name));
    labels.set(name, known);
    return known;
  };
  const invalid = (sentence: string) => translatedError("INVALID_FIELD", sentence);
  /** The value of a variable may be secret: an error names the variable. */
  const shownOf = (name: string) => (value: unknown) =>
    variableIn(context, { name, settings }) ?? shownValue(value);
  const wrong = (name: string, value: unknown, key = errorKey(description, name), words = {}) => {
    const shown = shownOf(name)(value);
    return invalid(t("common.error.field", { label: label(name), value: shown, why: t(key, words) }));
  };
  /** What was typed into a field that the form does not show now counts as empty: nobody could see what is wrong. */
  const textOf = (name: string) => {
    const isRead = isShown(description, name, (other) => settings[other]);
    return isRead ? requireSet(String(settings[name] ?? "").trim()) : "";
  };

  const numberOf = (name: string): number | undefined => {
    const field = fieldOf(name);
    if (field?.kind !== "number") throw new TypeError(`${name} is not a number field`);
    const text = textOf(name) || (field.optional ? "" : field.default);
    if (text === "") return undefined;
    const value = Number(text);
    if (!fitsNumber(field, value)) throw wrong(name, text);
    return value;
  };

  const missing = (name: string) => {
    const type = String(settings[`${name}Type`] ?? "str");
    return missingValue(t, { label: label(name), value: String(settings[name] ?? ""), type });
  };

  const reader = {
    settings,
    missing,
    label,
    wrong,
    text: textOf,
    number: numberOf,
    milliseconds: (name: string) => (numberOf(name) ?? 0) * 1000,
    flag: (name: string) => {
      const field = fieldOf(name);
      if (field?.kind !== "boolean") throw new TypeError(`${name} is not a boolean field`);
      return isOn(field, settings[name]);
    },
    choice: (name: string) => {
      const field = fieldOf(name);
      if (field?.kind !== "select") throw new TypeError(`${name} is not a select field`);
      const value = settings[name] ?? "";
      return value === "" ? field.default : optionOf(t, label(name), value, field.options, shownOf(name));
    },
    list: (name: string) => {
      const field = fieldOf(name);
      if (field?.kind !== "list") throw new TypeError(`${name} is not a list field`);
      const option = (one: string) => optionOf(t, label(name), one, field.options, shownOf(name));
      return namesIn(settings[name], name).map(option);
    },
    of: (msg: CrecMessage) => {
      const typed = (name: string): TypedValue => {
        const field = fieldOf(name);
        if (field?.kind !== "typed") throw new TypeError(`${name} is not a typed field`);
        const type = String(settings[`${name}Type`] || field.types?.[0] || "str");
        return { label: label(name), value: String(settings[name] ?? field.default ?? ""), type };
      };
      const value = async (name: string) => evaluate(context, msg, typed(name));
      return {
        override: (name: string) => {
          const field = fieldOf(name);
          return field?.kind === "config" && field.override ? channelOverride(msg) : undefined;
        },
        value,
        present: async (name: string) => evaluatePresent(context, msg, typed(name)),
        whole: async (name: string) => evaluateWhole(context, msg, typed(name)),
        optional: async (name: string) => evaluateOptional(context, msg, typed(name)),
        text: async (name: string) => evaluateText(context, msg, typed(name)),
        required: async (name: string) => evaluateRequired(context, msg, typed(name)),
        names: async (name: string) => {
          const names = namesIn(await evaluatePresent(context, msg, typed(name)), name);
          const field = fieldOf(name);
          if (field?.kind === "typed" && field.check) {
            const { check } = field;
            const bad = names.find((one) => check(one, (other) => settings[other]) !== true);
            if (bad !== undefined) throw wrong(name, bad);
          }
          return names;
        },
      };
    },
  };
  // The kinds of the fields are checked above at run time, and by FieldReader's names at compile time.
  return reader as unknown as FieldReader<N>;

  /** Only text is split: a name in a list may hold a comma. */
  function namesIn(value: unknown, name: string): string[] {
    if (typeof value === "string") return splitNames(value);
    const given = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
    if (given.every((one) => typeof one === "string" || typeof one === "number")) {
      return given
        .map((one) => (typeof one === "number" ? exactText(t, label(name), one) : one.trim()))
        .filter((one) => one !== "");
    }
    throw invalid(t("common.error.not-names", { label: label(name) }));
  }
}

/** The variable that a field is filled from, as `${NAME}`; undefined for a value that was typed in. */
function variableIn(
  { RED, node }: Evaluating,
  { name, settings }: { name: string; settings: Readonly<Record<string, unknown>> },
): string | undefined {
  if (settings[`${name}Type`] === "env") return `\${${settings[name]}}`;
  let written: unknown;
  // Node-RED hands a node the values of variables. A node in a subflow is stored in the template.
  const id = (node as Node & { _alias?: string })._alias ?? node.id;
  RED.nodes.eachNode((stored) => {
    if (stored.id === id) written = (stored as unknown as Record<string, unknown>)[name];
  });
  return typeof written === "string" && isReference(written.trim()) ? written.trim() : undefined;
}
