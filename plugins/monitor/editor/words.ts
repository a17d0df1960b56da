const CATALOG = "@crec-nodes/node-red-crec/monitor:monitor.";

type Values = Readonly<Record<string, unknown>>;

/** A text of the plugin's catalog. */
export function word(key: string, values: Values = {}): string {
  return RED._(CATALOG + key, values);
}

/** The word for a value of a fixed set; the value itself where a newer service sends one that has no word. */
export function wordOf(group: string, value: string): string {
  return wordOr(`${group}.${value}`, {}, value.replaceAll("_", " "));
}

/** A text of the catalog, or another one where the catalog has none. */
export function wordOr(key: string, values: Values, otherwise: string): string {
  const found = word(key, values);
  return found === CATALOG + key || found === `monitor.${key}` ? otherwise : found;
}

/** `a · b`, without those that are empty. */
export function joined(parts: ReadonlyArray<string | undefined>): string {
  return parts.filter((part) => part !== undefined && part !== "").join(" · ");
}

/** With the separators of the reader's language. */
export function numberText(value: number): string {
  return value.toLocaleString();
}
