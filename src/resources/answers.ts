import { BadResponseError } from "../http/index.ts";
import { isSameId, withoutNulls } from "../protocol/index.ts";

/** What a resource always has, by the name of its id: also where the service left it out, or wrote `null`. */
const ALWAYS: Readonly<Record<string, () => object>> = {
  wallet_id: () => ({ address: "" }),
  operation_id: () => ({ transactions: [], signature: null }),
};

/**
 * An answer as the resource it should be: an object that carries its id, and the id that was asked for. A field that is
 * `null` is read as absent. Nothing else of it is checked, since newer services may add and leave out fields.
 * @throws {BadResponseError} `BAD_RESPONSE`.
 */
export function resourceOf<T>(answer: unknown, idField: string, wanted?: string): T {
  const id = isObject(answer) ? answer[idField] : undefined;
  if (typeof id !== "string" || id === "") throw badResponse(`with no ${idField}`);
  if (wanted !== undefined && !isSameId(id, wanted)) {
    throw badResponse(`with another ${idField} than was asked for`);
  }
  return { ...ALWAYS[idField]?.(), ...(withoutNulls(answer) as T) };
}

/** The list of a page. `null` is an empty one, as some versions write it. @throws {BadResponseError} `BAD_RESPONSE`. */
export function listOf(list: unknown): unknown[] {
  if (list === null) return [];
  if (!Array.isArray(list)) throw badResponse("with something that is no list");
  return list;
}

/** JSON, but not what was asked for. */
export function badResponse(how: string): BadResponseError {
  const message = `The service answered ${how}. Check the base URL of the connection.`;
  return new BadResponseError("BAD_RESPONSE", message);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
