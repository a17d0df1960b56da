/** What the JSON of an answer has at a path; undefined where it has nothing. */
export function fieldAt(json: unknown, ...path: ReadonlyArray<string | number>): unknown {
  return path.reduce((value, key) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    return (value as Readonly<Record<string | number, unknown>>)[key];
  }, json);
}

/** The same where it is text, or undefined. */
export function textAt(json: unknown, ...path: ReadonlyArray<string | number>): string | undefined {
  const value = fieldAt(json, ...path);
  return typeof value === "string" ? value : undefined;
}
