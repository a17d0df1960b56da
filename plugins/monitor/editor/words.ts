const CATALOG = "@crec-nodes/node-red-crec/monitor:monitor.";

type Values = Readonly<Record<string, unknown>>;

/** A text of the plugin's catalog. */
export function word(key: string, values: Values = {}): string {
  return RED._(CATALOG + key, values);
}

/** The word for a value of a fixed set; the value itself where a newer service sends one that has no word. */
export function wordOf(group: string, value: string): string {
  const key = `${CATALOG}${group}.${value}`;
  const found = RED._(key);
  return found === key || found === key.slice(key.indexOf(":") + 1) ? value.replaceAll("_", " ") : found;
}

/** `a · b`, without those that are empty. */
export function joined(parts: ReadonlyArray<string | undefined>): string {
  return parts.filter((part) => part !== undefined && part !== "").join(" · ");
}

/** With the separators of the reader's language. */
export function numberText(value: number): string {
  return value.toLocaleString();
}
