import { checksumAddress } from "../../abi/index.ts";
import { ArgumentError } from "../../errors.ts";
import { BadResponseError } from "../../http/index.ts";
import { type Kinds, optional, whole } from "../../options/index.ts";
import { canonicalId, isAddress, isSameId, isUuid, LIMITS, withoutNulls } from "../../protocol/index.ts";

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

/** Checks made before anything is sent. Each throws an `ArgumentError` that names the value. */

/** An id in the form that a path has. */
export function pathId(path: string, id: string): string {
  if (typeof id !== "string" || !isUuid(id)) {
    throw new ArgumentError(
      path,
      `${path} must be an id of the service, such as 0f8fad5b-d9cb-469f-a165-70867728950e.`,
    );
  }
  return encodeURIComponent(canonicalId(id));
}

export function checkName(name: string, minLength = 1): void {
  const length = typeof name === "string" ? name.trim().length : 0;
  if (length === 0) throw new ArgumentError("name", "The name is blank. Enter a name.");
  if (length < minLength) {
    throw new ArgumentError(
      "name",
      `The name must have at least ${minLength} characters, without spaces around it.`,
    );
  }
  if (name.length > LIMITS.nameLength) {
    throw new ArgumentError(
      "name",
      `The name must have at most ${LIMITS.nameLength} characters, but has ${name.length}.`,
    );
  }
}

export function checkDescription(description: string | undefined): void {
  if (description === undefined) return;
  if (typeof description !== "string")
    throw new ArgumentError("description", "The description must be text.");
  if (description.trim() === "") {
    const message = "The description is blank. Enter a text: it can be changed, and not removed.";
    throw new ArgumentError("description", message);
  }
  if (description.length > LIMITS.descriptionLength) {
    const message = `The description must have at most ${LIMITS.descriptionLength} characters, but has ${description.length}.`;
    throw new ArgumentError("description", message);
  }
}

/** Without spaces around it, since it is sent as it is. In mixed case, its checksum must be right. */
export function checkAddress(path: string, address: string): void {
  checksumAddress(typeof address === "string" && isAddress(address) ? address : "", path);
}

export function checkSelector(selector: string): void {
  if (typeof selector !== "string" || !/^\d{1,20}$/.test(selector)) {
    const message =
      "chain_selector must be the decimal digits of a network's chain selector, as text. Choose a network.";
    throw new ArgumentError("chain_selector", message);
  }
}

/** Which page of a list: `limit` within what the list allows, `offset` not negative. */
export function paging({ max }: { max: number }): Kinds<Paging> {
  return { limit: optional(whole(1, max)), offset: optional(whole(0)) };
}

type Paging = { limit?: number | undefined; offset?: number | undefined };

/** `limit` within what the list allows, `offset` not negative. */
export function checkPaging({ limit, offset }: Paging, limits: { max: number }): void {
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1 && limit <= limits.max)) {
    throw new ArgumentError("limit", `limit must be a whole number from 1 to ${limits.max}.`);
  }
  if (offset !== undefined && !(Number.isSafeInteger(offset) && offset >= 0)) {
    throw new ArgumentError("offset", "offset must be a whole number of 0 or more.");
  }
}
