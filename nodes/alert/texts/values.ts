import type { Library } from "../../common/library.ts";
import { isObject } from "../../common/shared/collections.ts";

/** Reads a field by its path, as conditions do; undefined if it is missing or the path is not valid. */
export type ReadField = (root: unknown, path: string) => unknown;

export function fieldByPath({
  parseFieldPath,
  readField,
}: Pick<Library, "parseFieldPath" | "readField">): ReadField {
  return (root, path) => {
    try {
      return readField(root, parseFieldPath(path, "path"));
    } catch {
      return undefined;
    }
  };
}

/** A property of untrusted data: inherited ones do not count. */
export function ownProperty(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Also invisible characters, and those that change the direction of text. */
const NOT_PLAIN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/**
 * Text as one visible line: without control characters, line breaks, invisible characters, and characters that change
 * the direction of text. Cut at `most` characters.
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
