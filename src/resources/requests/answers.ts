import { BadResponseError } from "../../http/index.ts";
import { isSameId, withoutNulls } from "../../protocol/index.ts";

/** Fields that a resource always has, by the name of its id, also where the service leaves them out or sends `null`. */
const ALWAYS: Readonly<Record<string, () => object>> = {
  wallet_id: () => ({ address: "" }),
  operation_id: () => ({ transactions: [], signature: null }),
};

/**
 * An answer as a resource: an object with its id, which must be the requested one. A field that is `null` is read as
 * absent. Nothing else is checked, since newer services may add and leave out fields.
 * @throws {BadResponseError} `BAD_RESPONSE`.
 */
export function resourceOf<T>(answer: unknown, idField: string, requestedId?: string): T {
  const id = isObject(answer) ? answer[idField] : undefined;
  if (typeof id !== "string" || id === "") throw badResponse(`without ${idField}`);
  if (requestedId !== undefined && !isSameId(id, requestedId)) {
    throw badResponse(`with another ${idField} than the requested one`);
  }
  return { ...ALWAYS[idField]?.(), ...(withoutNulls(answer) as T) };
}

/** The list of a page. `null` is an empty list, which some versions send. @throws {BadResponseError} `BAD_RESPONSE`. */
export function listOf(list: unknown): unknown[] {
  if (list === null) return [];
  if (!Array.isArray(list)) throw badResponse("with something that is not a list");
  return list;
}

/** The error of an answer that is JSON, but not the expected one. */
export function badResponse(how: string): BadResponseError {
  const message = `The service answered ${how}. Check the base URL of the connection.`;
  return new BadResponseError("BAD_RESPONSE", message);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
