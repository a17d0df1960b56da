/** A JSON object of unknown content. */
export type Fields = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value if it is an object, else an empty one. */
export function objectOrEmpty(value: unknown): Fields {
  return isObject(value) ? value : {};
}

/** Whether an optional field has a value: some versions of the service write null for a missing one. */
export function present(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** A copy of JSON, so that a caller may change it. */
export function copyOf<T>(json: T): T;
export function copyOf(json: unknown): unknown {
  if (Array.isArray(json)) return json.map((item) => copyOf(item));
  if (!isObject(json)) return json;
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, copyOf(value)]));
}
