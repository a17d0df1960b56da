import type { FieldCheck } from "./field-checks.ts";

/**
 * The description of a node: its form, its stored settings and how they are read all come from this one table, which
 * each node has in its `fields.ts`. Texts live in the node's catalog: a field `to` of `crec-run-query` has its label
 * under `run-query.label.to`, and likewise `hint`, `placeholder`, `unit`, `error`, and `to.<option>` for a choice.
 */
export type NodeDescription = {
  type: `crec-${string}`;
  /** Raised when stored settings change their meaning; `migrations` then bring older ones up to date. */
  version: number;
  fields: Fields;
  /** What a node on the workspace has; config nodes have none of these. */
  icon?: string;
  /** It can change something on the chain or in the account: it has another color than nodes that only read. */
  acts?: true;
  inputs?: 0 | 1;
  /** Names of the outputs, in order. With more than one, the catalog has `output.<name>` for each. */
  outputs?: readonly string[];
  migrations?: Readonly<Record<number, Migration>>;
};

/** Settings of one version as settings of the next. */
type Migration = (stored: Readonly<Record<string, unknown>>) => Record<string, unknown>;

/** In the order in which the form shows them. */
export type Fields = Readonly<Record<string, Field>>;

export type Field =
  | TextField
  | NumberField
  | BooleanField
  | SelectField
  | TypedField
  | ConfigField
  | CredentialField
  | ListField
  | CustomField
  | HiddenField
  | ButtonField
  | LayoutField;

type Labelled = {
  /** A key of the catalog in place of `<node>.label.<name>`. */
  label?: string;
  /** Of Font Awesome 4, without `fa-`. */
  icon?: string;
  /** The form shows the field, and its value is used, only while this holds, or one of these. */
  shown?: Condition | readonly Condition[];
};

/** Values of other fields. All must match; a list matches any of its values. */
export type Condition = Readonly<Record<string, ConditionValue | readonly ConditionValue[]>>;
type ConditionValue = string | boolean;

type Explained = {
  /** A line under the field: `<node>.hint.<name>`, or another key. */
  hint?: true | string;
  /** In the empty box: `<node>.placeholder.<name>`, another key, or a text that no language changes. */
  placeholder?: true | string | { text: string };
  /** Behind the box: `<node>.unit.<name>`, or another key. */
  unit?: true | string;
};

type Checked = {
  /** Must not be empty while it is shown. */
  required?: boolean;
  /** Checks a value, in the form and at run time. */
  check?: FieldCheck;
  /** The sentence for a value that is missing or wrong, in place of `<node>.error.<name>`. */
  error?: string;
};

type TextField = { kind: "text"; default?: string } & Labelled &
  Explained &
  Checked & {
    /** Of a text area. */
    lines?: number;
    /** For code, keys and addresses. */
    monospace?: true;
    readonly?: true;
    /** As CSS. */
    width?: string;
    lookup?: Lookup;
  };

/** Stored as text, since it may be the name of a variable. */
export type NumberField = { kind: "number"; default: string } & Labelled &
  Explained & {
    least: number;
    most?: number;
    whole?: true;
    /** May be left empty, which is not the default then. */
    optional?: true;
    error?: string;
  };

/** `numeric` is stored as 0 or 1. */
export type BooleanField = { kind: "boolean"; default: boolean; numeric?: true } & Labelled &
  Pick<Explained, "hint">;

type SelectField = { kind: "select"; options: readonly string[]; default: string } & Labelled &
  Pick<Explained, "hint"> & {
    /** The options are shown as they are, as GET and POST. */
    literal?: true;
    /** The line under the field explains the chosen option: `<node>.explained.<name>.<option>`. */
    explained?: true;
    /** The form's code adds the options. */
    filledLater?: true;
    width?: string;
  };

/** A value from the form, the message, the context, the environment or an expression. */
export type TypedField = { kind: "typed"; default?: string } & Labelled &
  Explained &
  Checked & {
    /** Of Node-RED; the first is the default. `TEXT_TYPES` unless given. */
    types?: readonly string[];
    /** Takes several values: a list, or text with commas between. */
    list?: true;
    /** Lines of a text area for typed text, as for code. */
    lines?: number;
    lookup?: Lookup;
    width?: string;
  };

type ConfigField = {
  kind: "config";
  type: `crec-${string}` | "tls-config" | "http proxy";
  required: boolean;
  /** In a new node the only config node of the type is chosen, as it always is if the field is required. */
  preselect?: true;
  /** The property of `msg.crec` that overrides it. */
  override?: "channelId";
  /** For a field that is needed only while it is shown: `<node>.error.<name>`, or another key. */
  error?: string;
} & Labelled &
  Pick<Explained, "hint">;

type CredentialField = { kind: "credential" } & Labelled & Explained;

/** A tick for each option, shown as it is. Stored as a list; `<node>.hint.<name>` is shown below. */
type ListField = {
  kind: "list";
  options: readonly string[];
  /** Whether the options are statuses of the service, which people read as words. */
  areStatuses?: true;
  /** The option that the form's code ticks in a new node. */
  usual?: string;
} & Labelled;

/**
 * A part that the form's own code builds in `#crec-<node>-<name>`. `T` is what is stored; without a default nothing is.
 */
type CustomField<T = unknown> = { kind: "custom"; default?: T; label?: string | false } & Omit<
  Labelled,
  "label"
> & {
    /** A sentence about what is wrong, else undefined. Set by the form: see `Form.checks`. */
    role?: "group" | "status" | "alert";
  };

/** Stored and not shown; also a setting of older versions that only migrations read. */
export type HiddenField<T = unknown> = {
  kind: "hidden";
  default: T;
  /** A config node, so that an import changes its id along. */
  type?: `crec-${string}`;
};

/** `#crec-<node>-<name>`; with a result, `#crec-<node>-<name>-result` is read out when it changes. */
type ButtonField = { kind: "button"; icon?: string; result?: true; shown?: Condition };

type LayoutField = Section | { kind: "note"; shown?: Condition };

/**
 * Holds the fields up to the next section. A folded one says on its header whether a value in it is not the default,
 * and opens if one is wrong.
 */
export type Section = { kind: "section"; folded?: true; label?: string };

/** Offers matching resources of the service while a person types, and describes the value below the field. */
export type Lookup = {
  /** The list's name in `crec/lookup/<list>/…`. */
  list: string;
  /** The field with the config node that gives the list, or the channel's connection. */
  by: "connection" | "channel" | "channel.connection";
  /** The catalog's key of the sentence about a value that the service does not know. */
  unknown?: string;
  /** Where the list has one line only, an empty field takes it. */
  preselect?: true;
};

/** The table of a node, with its literal types. */
export function describeNode<const N extends NodeDescription>(node: N): N {
  return node;
}

/** A custom field that stores a `T`. */
export function stored<T>(
  field: Omit<CustomField<T>, "kind"> & { default: T },
): CustomField<T> & { default: T } {
  return { kind: "custom", ...field };
}

/** What each node has in a flow; Node-RED's own type of it would bring all its types into the browser's code. */
type StoredNode = { id: string; type: string; name: string; z: string };

/** What Node-RED hands to a node with these fields. Anything may be missing: flows are also written by hand. */
export type SettingsOf<N extends NodeDescription> = StoredNode & {
  [K in keyof N["fields"] as N["fields"][K] extends StoredField ? K : never]?: ValueOf<N["fields"][K]>;
} & {
  [K in keyof N["fields"] & string as N["fields"][K] extends { kind: "typed" } ? `${K}Type` : never]?: string;
};

type StoredField =
  | { kind: "text" | "number" | "boolean" | "select" | "typed" | "config" | "list" }
  | { default: unknown };

type ValueOf<F> = F extends { kind: "number" }
  ? string | number
  : F extends { kind: "boolean"; numeric: true }
    ? 0 | 1
    : F extends { kind: "boolean" }
      ? boolean
      : F extends { kind: "select"; options: readonly (infer O)[]; filledLater?: never }
        ? O
        : F extends { kind: "list"; options: readonly (infer O)[] }
          ? O[]
          : F extends { kind: "custom" | "hidden"; default: infer T }
            ? T
            : string;

/** Names of the fields of some kinds. */
export type NamesOf<N extends NodeDescription, Kind extends Field["kind"]> = {
  [K in keyof N["fields"]]: N["fields"][K] extends { kind: Kind } ? K : never;
}[keyof N["fields"]] &
  string;
