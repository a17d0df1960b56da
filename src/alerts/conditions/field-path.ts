import { snakeCase } from "../../abi/wire-names.ts";
import { ArgumentError } from "../../errors.ts";
import { aList, reading, text as textKind } from "../../options/index.ts";
import { FIELD_PATH } from "../../protocol/index.ts";

/** The names and positions that lead to a field. */
export type FieldPath = readonly string[];

const MOST_SEGMENTS = 32;
const LONGEST = 1_000;

/**
 * The parts of `params.order.amounts[0]`; none for empty text, which is the value itself.
 *
 * @param at the name of the field in errors
 * @throws {ArgumentError} `INVALID_ARGUMENT`
 */
export function parseFieldPath(text: unknown, at: string): FieldPath {
  textKind(at, "at");
  if (text === "") return [];
  const isPath = typeof text === "string" && text.length <= LONGEST && FIELD_PATH.test(text);
  const path = isPath ? (text.match(/[^.[\]]+/g) ?? []) : [];
  if (path.length > 0 && path.length <= MOST_SEGMENTS) return path;
  throw new ArgumentError(
    at,
    `${at} must be the path of a field, such as params.value or params.list[0], with ${MOST_SEGMENTS} parts at most; empty for the value itself.`,
  );
}

const pathKind = aList<FieldPath>();

/**
 * The value of a field; undefined where it is missing or null. Only own properties are read. A name of an ABI is also
 * found in the form in which the service writes it, and the other way: `fundTokenId` as `fund_token_id`.
 */
export function readField(decoded: unknown, path: FieldPath): unknown {
  pathKind(path, "path");
  return reading("decoded", () => valueAt(decoded, path));
}

function valueAt(decoded: unknown, path: FieldPath): unknown {
  let value = decoded;
  for (const name of path) {
    if (typeof value !== "object" || value === null) return undefined;
    const fields = value;
    const key = [name, snakeCase(name), camelCase(name)].find((one) => Object.hasOwn(fields, one));
    if (key === undefined) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value ?? undefined;
}

/** `fund_token_id` as `fundTokenId`, `token_i_d` as `tokenID`. */
function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
