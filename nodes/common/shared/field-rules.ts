import type { BooleanField, Condition, Field, NodeDescription, NumberField } from "./fields.ts";

/** The part of a type that names its texts and elements: `run-query` of `crec-run-query`. */
export function shortName(type: string): string {
  return type.replace(/^crec-/, "");
}

/** The catalog's key for a field's label. */
export function labelKey(node: NodeDescription, name: string): string {
  const { label } = (node.fields[name] ?? {}) as { label?: string | false };
  return label || `${shortName(node.type)}.label.${name}`;
}

/** The catalog's key for what is said of a wrong value. */
export function errorKey(node: NodeDescription, name: string): string {
  const { error } = (node.fields[name] ?? {}) as { error?: string };
  return error ?? `${shortName(node.type)}.error.${name}`;
}

/** The credentials of a node, as Node-RED takes them. */
export function credentialsOf({ fields }: NodeDescription): Record<string, { type: "password" }> {
  const names = Object.keys(fields).filter((name) => fields[name]?.kind === "credential");
  return Object.fromEntries(names.map((name) => [name, { type: "password" }]));
}

/** Whether a number is in the range of its field. */
export function fitsNumber({ least, most = Number.MAX_VALUE, whole }: NumberField, value: number): boolean {
  return value >= least && value <= most && (!whole || Number.isInteger(value));
}

/**
 * Whether a boolean field is on. A value that is neither true nor false counts as the default: a misspelt one must not
 * turn a check off. The environment gives text.
 */
export function isOn(field: BooleanField, value: unknown): boolean {
  if (field.default) return value !== false && value !== 0;
  return value === true || value === 1 || value === "true";
}

/** Whether a field counts, with the values that other fields have. */
export function isShown(
  { fields }: NodeDescription,
  name: string,
  other: (name: string) => unknown,
): boolean {
  const field = fields[name];
  const holds = (condition: Condition): boolean =>
    Object.entries(condition).every(([asked, values]) => {
      const value = orDefault(fields[asked], other(asked));
      return Array.isArray(values) ? values.includes(value) : values === value;
    });
  return conditionsOf(field).some(holds);
}

/** One of them must hold. */
export function conditionsOf(field: Field | undefined): readonly Condition[] {
  return [(field && "shown" in field && field.shown) || {}].flat();
}

/** Flows written by hand leave settings out. */
function orDefault(field: Field | undefined, value: unknown): unknown {
  if (field?.kind === "boolean") return isOn(field, value);
  const isEmpty = value === undefined || value === null || value === "";
  return isEmpty && field && "default" in field ? field.default : value;
}

/**
 * Settings as an older version of a node stored them, migrated to the current version. Settings without a version are
 * current. Those of a newer version keep it: that version must not migrate them a second time.
 */
export function migrate<T extends object>({ version, migrations = {} }: NodeDescription, stored: T): T {
  const from = (stored as { version?: unknown }).version;
  if (typeof from !== "number" || from >= version) return stored;
  let settings = { ...stored } as Record<string, unknown>;
  // Numbers are in ascending order among the properties of an object.
  for (const [old, next] of Object.entries(migrations)) {
    if (Number(old) >= from && Number(old) < version) settings = next(settings);
  }
  return { ...settings, version } as unknown as T;
}

/** Whether a newer version of this package stored these settings. */
export function isNewer({ version }: NodeDescription, stored: object): boolean {
  return Number((stored as { version?: unknown }).version ?? version) > version;
}
