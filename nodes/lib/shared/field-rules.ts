import type { Field, NodeDescription, NumberField } from "./fields.ts";

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

/** Whether a number is in the range of its field. */
export function fitsNumber({ least, most = Number.MAX_VALUE, whole }: NumberField, value: number): boolean {
  return value >= least && value <= most && (!whole || Number.isInteger(value));
}

/** Whether a field counts, with the values that other fields have. */
export function isShown(field: Field, other: (name: string) => unknown): boolean {
  const condition = "shown" in field ? field.shown : undefined;
  return Object.entries(condition ?? {}).every(([name, values]) => {
    const value = other(name);
    return Array.isArray(values) ? values.includes(value) : values === value;
  });
}
