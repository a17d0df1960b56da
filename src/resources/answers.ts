import { BadResponseError } from "../http/index.ts";

/**
 * An answer as the resource it should be: an object that carries its id, and the id that was asked for.
 * Nothing else of it is checked, since newer services may add and leave out fields.
 * @throws {BadResponseError} `BAD_RESPONSE`.
 */
export function resourceOf<T>(answer: unknown, idField: string, wanted?: string): T {
  const id = isObject(answer) ? answer[idField] : undefined;
  if (typeof id !== "string" || id === "") throw badResponse(`with no ${idField}`);
  if (wanted !== undefined && id.toLowerCase() !== wanted.toLowerCase()) {
    throw badResponse(`with another ${idField} than was asked for`);
  }
  return answer as T;
}

/** JSON, but not what was asked for. */
export function badResponse(how: string): BadResponseError {
  const message = `The service answered ${how}. Check the base URL of the connection.`;
  return new BadResponseError("BAD_RESPONSE", message);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
