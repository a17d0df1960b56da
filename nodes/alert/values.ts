/** A value at a path in hostile data: only own properties count, and no text is run. */
export function valueAt(root: unknown, path: string): unknown {
  let value = root;
  for (const name of path === "" ? [] : path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Also what is not seen, or turns the direction of text. */
const NOT_PLAIN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/**
 * Text as one line that shows all of itself: without control characters, line breaks, and characters that are not seen
 * or turn the direction of text. Cut at `most` characters.
 */
export function oneLine(text: string, most: number): string {
  const plain = text
    .slice(0, most * 4)
    .replace(NOT_PLAIN, " ")
    .replace(/\s+/g, " ")
    .trim();
  const letters = Array.from(plain);
  return letters.length <= most ? plain : `${letters.slice(0, most - 1).join("")}…`;
}
